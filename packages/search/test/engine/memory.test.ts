/** What an engine holds while it goes on: no event that was heard, and no outcome that was told. */

import { expect, test } from "vitest";
import { EventQueue } from "../../src/engine/queue.js";
import { Unheard } from "../../src/engine/unheard.js";
import type { Outcome } from "../../src/types.js";

test("a queue lets go of what was heard, however far behind its listener is", () => {
  const queue = new EventQueue<number>();
  for (let i = 0; i < 20_000; i++) queue.push(i);
  let most = 0;
  // Each time as many come as are heard, so that it is never empty.
  for (let i = 0; i < 50_000; i++) {
    queue.push(i);
    queue.take();
    most = Math.max(most, queue.held - queue.size);
  }
  while (queue.take() !== undefined) most = Math.max(most, queue.held - queue.size);
  expect(most).toBe(4095);
  expect(queue.held).toBe(0);
});

test("outcomes are held until their round is told, in order, and no longer", () => {
  const unheard = new Unheard();
  const outcomes = Array.from({ length: 6 }, (_, visit) => ({ visit }) as Outcome);
  unheard.add(4, outcomes.slice(0, 2));
  unheard.add(5, []);
  unheard.add(4, outcomes.slice(2, 3));
  unheard.add(6, outcomes.slice(3));
  expect(unheard.size).toBe(3);
  expect(unheard.take(4)).toEqual(outcomes.slice(0, 3));
  expect(unheard.size).toBe(2);
  expect([unheard.take(4), unheard.take(5), unheard.take(6)]).toEqual([[], [], outcomes.slice(3)]);
  expect(unheard.size).toBe(0);
});
