/** The public API in Chromium: every case passes, with the same bits as in Node. */

import { describe, expect, inject, test } from "vitest";
import { apiCases, keyOf, precisions, runCase } from "../api.shared.js";

const inNode = inject("nodeResults");

describe.each(precisions)("%s", (precision) => {
  test.each(apiCases)("$name", async (apiCase) => {
    expect(await runCase(apiCase, precision)).toEqual(inNode[keyOf(apiCase, precision)]);
  });
});

test("this is a browser", () => {
  expect(navigator.userAgent).toContain("Chrome");
});
