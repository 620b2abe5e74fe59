/**
 * A map that remembers the latest entries: at least half of `most`, at most all of them.
 *
 * Two generations take turns: where the younger is full it becomes the older, and what was older is
 * forgotten at once. Forgetting one entry at a time would look for the first entry of a map past
 * the holes that earlier ones left, which takes longer and longer.
 */
export class Recent<Key, Value> {
  readonly #half: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
