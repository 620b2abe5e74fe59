/** Reports in Chromium, on the page's own document. */

import { expect, test } from "vitest";
import { pageTests } from "../pages.shared.js";

pageTests();

test("this is a browser", () => {
  expect(navigator.userAgent).toContain("Chrome");
});
