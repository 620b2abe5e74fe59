/**
 * One job as a process: a scratch copy of the repository and a vitest that stays open, so that only what
 * a mutant changes is read again. It answers one task after the other.
 *
 *   node --import ./scripts/register-typescript.mjs scripts/mutate/runner.ts SCRATCH [--machines] [--doors]
 *
 * Before each test file it says which one, so that the parent can end a process in which a test no longer
 * ends. What is planted is taken out again before the answer, unless the process is ended.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createVitest, type Vitest } from "vitest/node";
import { isMachine, plantIn, prepareMachines, restoreIn } from "./build.js";
import { Compiler } from "./compiles.js";
import type { Mutant } from "./mutant.js";

export interface Task {
  /** Undefined runs the tests on the sources as they are. */
  readonly mutant?: Mutant;
  readonly tests: readonly string[];
}

/** `refused`: does not compile. `caught`: a test fails, with its name. */
export type Answer =
  | { readonly outcome: "ready" | "refused" | "survived" }
  | { readonly outcome: "testing"; readonly test: string }
  | { readonly outcome: "caught"; readonly test: string; readonly name: string };

const [, , scratch = "", ...flags] = process.argv;

const compiler = new Compiler(scratch);

const say = (answer: Answer): void => {
  process.send?.(answer);
};

async function open(): Promise<Vitest> {
  const options = {
    watch: false,
    project: ["core", "tables", "report", "search", "tfjs", "cluster", "cli", "scripts"],
    fileParallelism: false,
    maxWorkers: 1,
    bail: 1,
    silent: true,
    reporters: [{}],
    root: scratch,
  };
  const vitest = await createVitest("test", options);
  await vitest.standalone();
  return vitest;
}

/** The first failing test of a file: its name, or what went wrong outside all tests. */
async function firstFailure(vitest: Vitest, test: string): Promise<string | undefined> {
  const path = join(scratch, test);
  const specifications = (await vitest.globTestSpecifications([path])).filter(
    ({ moduleId }) => moduleId === path,
  );
  if (specifications.length === 0) return `vitest knows no test file ${test}`;
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const module = testModules.find(({ moduleId }) => moduleId === path);
  const failed = module && [...module.children.allTests("failed")][0];
  if (failed) return failed.fullName;
  const [error] = [...(module?.errors() ?? []), ...unhandledErrors] as { message?: string }[];
  if (error) return String(error.message ?? error).split("\n", 1)[0] ?? "an error";
  return module?.state() === "passed" || module?.state() === "skipped" ? undefined : "no result";
}

/** The latest mutant that TypeScript took: a task may come in parts. */
let accepted = "";

function isAccepted(mutant: Mutant): boolean {
  const key = JSON.stringify(mutant);
  if (isMachine(mutant.file) || key === accepted) return true;
  if (!compiler.accepts(mutant)) return false;
  accepted = key;
  return true;
}

async function answer(vitest: Vitest, { mutant, tests }: Task): Promise<Answer> {
  if (mutant && !isAccepted(mutant)) return { outcome: "refused" };
  if (mutant && !(await plantIn(scratch, mutant))) return { outcome: "refused" };
  if (mutant) vitest.invalidateFile(join(scratch, mutant.file));
  for (const test of tests) {
    say({ outcome: "testing", test });
    const name = await firstFailure(vitest, test);
    if (name !== undefined) return { outcome: "caught", test, name };
  }
  return { outcome: "survived" };
}

async function handle(vitest: Vitest, task: Task): Promise<void> {
  const { mutant } = task;
  const text = mutant && readFileSync(join(scratch, mutant.file), "utf8");
  const result = await answer(vitest, task);
  if (mutant && text !== undefined) {
    restoreIn(scratch, mutant.file, text);
    vitest.invalidateFile(join(scratch, mutant.file));
  }
  say(result);
}

process.chdir(scratch);
if (flags.includes("--machines")) await prepareMachines(scratch, flags.includes("--doors"));
const vitest = await open();
process.on("message", (task: Task) => {
  handle(vitest, task).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
say({ outcome: "ready" });
