import { expect, test } from "vitest";
import { Recent } from "../../src/engine/recent.js";

test("the latest half is always remembered, and never more than all", () => {
  const most = 10;
  const recent = new Recent<number, string>(most);
  for (let key = 0; key < 100; key++) {
    recent.set(key, `v${key}`);
    expect(recent.size).toBeLessThanOrEqual(most);
    for (let back = 0; back < most / 2 && key - back >= 0; back++)
      expect(recent.get(key - back)).toBe(`v${key - back}`);
    if (key >= most) expect(recent.get(key - most)).toBeUndefined();
  }
});

test("an entry is replaced by a newer one of its key", () => {
  const recent = new Recent<string, number>(4);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("a", 3);
  expect(recent.get("a")).toBe(3);
  expect(recent.get("b")).toBe(2);
});
