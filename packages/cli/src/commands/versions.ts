/** Which version of the command this is. */

import { readFileSync } from "node:fs";

export function commandVersion(): string {
  const manifest = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}
