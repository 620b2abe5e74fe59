/** The public API in Node; test/browser runs the same cases in Chromium. */

import { describe, expect, test } from "vitest";
import { apiCases, precisions, runCase } from "./api.shared.js";

describe.each(precisions)("%s", (precision) => {
  test.each(apiCases)("$name", async (apiCase) => {
    const bits = await runCase(apiCase, precision);
    expect(await runCase(apiCase, precision)).toEqual(bits);
  });
});
