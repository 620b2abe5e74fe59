/**
 * The free names of a program with the offset of their first appearance, while it is expanded.
 * Expansion need not go in the order of the text.
 */

/** Up to so many names looking through them is faster than a map. */
const NAMES_FEW = 8;

export class FreeNames {
  readonly #names: string[] = [];
  readonly #offsets: number[] = [];
  #places: Map<string, number> | undefined;
  #isInOrder = true;

  /** Notes that a name appears at an offset of the text. */
  note(name: string, offset: number): void {
    const place = this.#placeOf(name);
    if (place < 0) this.#add(name, offset);
    else if (offset < (this.#offsets[place] as number)) {
      this.#offsets[place] = offset;
      this.#isInOrder = false;
    }
  }

  #placeOf(name: string): number {
    return this.#places === undefined ? this.#names.indexOf(name) : (this.#places.get(name) ?? -1);
  }

  #add(name: string, offset: number): void {
    const count = this.#names.length;
    if (count > 0 && offset < (this.#offsets[count - 1] as number)) this.#isInOrder = false;
    this.#names.push(name);
    this.#offsets.push(offset);
    if (this.#places !== undefined) this.#places.set(name, count);
    else if (count === NAMES_FEW) this.#places = new Map(this.#names.map((each, i) => [each, i]));
  }

  /** The names by first appearance. */
  inOrder(): string[] {
    if (this.#isInOrder) return this.#names;
    const order = this.#names.map((_, i) => i);
    order.sort((a, b) => (this.#offsets[a] as number) - (this.#offsets[b] as number));
    return order.map((i) => this.#names[i] as string);
  }
}
