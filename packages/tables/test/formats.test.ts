/** Every format in Node. */

import { readFile } from "node:fs/promises";
import { formatTests } from "./formats.shared.js";

formatTests(
  async (file) => new Uint8Array(await readFile(new URL(`fixtures/${file}`, import.meta.url))),
);
