/** Runs the command in this process, so that a test costs no start of another one. */

import { vi } from "vitest";
import { run } from "../src/main.js";
import { folder, type Outcome } from "./run.js";

/** Exit code and what went to both streams, with the scratch folder as working directory. */
export async function ndvmHere(args: readonly string[]): Promise<Outcome> {
  const before = process.cwd();
  const written = { stdout: "", stderr: "" };
  const capture = (name: "stdout" | "stderr") =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
  const spies = [capture("stdout"), capture("stderr")];
  process.chdir(folder);
  try {
    return { code: await run(args), ...written };
  } finally {
    process.chdir(before);
    for (const spy of spies) spy.mockRestore();
  }
}
