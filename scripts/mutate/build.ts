/**
 * Puts a mutant into a scratch copy and takes it out again.
 *
 * TypeScript is read from `src` by the tests, and from `dist` by worker threads, other packages and the
 * command, so both get it. AssemblyScript becomes a new machine, without the optimiser's last passes:
 * they change no result and take most of the time.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { main as assemble } from "assemblyscript/asc";
import ts from "typescript";
import { type Mutant, planted } from "./mutant.js";

type Precision = "f32" | "f64";

interface Target {
  readonly entry: string;
  readonly name: string;
  readonly precision: Precision;
}

const targetsOf = (entry: string, name: string): readonly Target[] => [
  { entry, name, precision: "f64" },
  { entry, name, precision: "f32" },
];
const MACHINES = targetsOf("wasm/index.ts", "ndvm");
/** Doors that the tests of kernels build for themselves unless they are newer than their sources. */
const DOORS = [
  ...targetsOf("wasm/math/door.ts", "math"),
  ...targetsOf("wasm/linalg/door.ts", "linalg"),
];

/** Kernels that tests reach through a door of their own. */
export const hasDoor = (file: string): boolean =>
  /^packages\/core\/wasm\/(math|linalg)\//.test(file);

export const isMachine = (file: string): boolean => file.startsWith("packages/core/wasm/");

const builtAt = (scratch: string, { name, precision }: Target): string =>
  join(scratch, "packages/core/build", `${name}-${precision}.wasm`);
const keptAt = (scratch: string, { name, precision }: Target): string =>
  join(scratch, "unchanged", `${name}-${precision}.wasm`);

/** Keeps the machines without a bug, and the doors too if they are needed: those are built first. */
export async function prepareMachines(scratch: string, needsDoors: boolean): Promise<void> {
  mkdirSync(join(scratch, "unchanged"), { recursive: true });
  for (const target of needsDoors ? [...MACHINES, ...DOORS] : MACHINES) {
    if (existsSync(keptAt(scratch, target))) continue;
    const isBuilt = MACHINES.includes(target) || (await build(scratch, target));
    if (!isBuilt) throw new Error(`${target.entry} does not build`);
    copyFileSync(builtAt(scratch, target), keptAt(scratch, target));
  }
}

/** Those that are kept without a bug. */
const keptIn = (scratch: string): readonly Target[] =>
  [...MACHINES, ...DOORS].filter((target) => existsSync(keptAt(scratch, target)));

/** False if the compiler of AssemblyScript refuses the mutant. */
export async function plantIn(scratch: string, mutant: Mutant): Promise<boolean> {
  const path = join(scratch, mutant.file);
  const text = planted(readFileSync(path, "utf8"), mutant);
  writeFileSync(path, text);
  if (!isMachine(mutant.file)) {
    writeScript(scratch, mutant.file, text);
    return true;
  }
  for (const target of touchedBy(mutant.file)) {
    if (!(await build(scratch, target))) return false;
  }
  markFresh(scratch);
  return true;
}

/** Undoes `plantIn`, also after it has been cut short. */
export function restoreIn(scratch: string, file: string, text: string): void {
  writeFileSync(join(scratch, file), text);
  if (isMachine(file)) restoreMachines(scratch);
  else writeScript(scratch, file, text);
}

function restoreMachines(scratch: string): void {
  for (const target of keptIn(scratch)) {
    copyFileSync(keptAt(scratch, target), builtAt(scratch, target));
  }
  markFresh(scratch);
}

/**
 * Both precisions of the machine, since a bug may show in one only: single precision keeps slopes that
 * double precision works out again. A file of one precision is not in the other.
 */
function touchedBy(file: string): readonly Target[] {
  const own = /(f32|f64|32|64)\.ts$/.exec(basename(file))?.[1];
  const folder = file.slice("packages/core/".length);
  return [
    ...MACHINES.filter(({ precision }) => own === undefined || precision.endsWith(own)),
    ...DOORS.filter(({ name }) => folder.startsWith(`wasm/${name}/`)),
  ];
}

/** Tests must not build again what is built here. */
function markFresh(scratch: string): void {
  const soon = new Date(Date.now() + 1000);
  for (const target of keptIn(scratch)) utimesSync(builtAt(scratch, target), soon, soon);
}

const FLAGS =
  "-O1 --noAssert --enable simd --runtime stub --initialMemory 16 --disableWarning 112".split(" ");

async function build(scratch: string, target: Target): Promise<boolean> {
  const core = join(scratch, "packages/core");
  let binary: Uint8Array | undefined;
  const { error } = await assemble(
    [target.entry, "--use", `real=${target.precision}`, ...FLAGS, "-o", "built.wasm"],
    {
      readFile: (name) => readIfThere(join(core, name)),
      writeFile: (name, contents) => {
        if (name.endsWith(".wasm")) binary = contents as Uint8Array;
      },
      listFiles: () => null,
    },
  );
  if (error || !binary) return false;
  writeFileSync(builtAt(scratch, target), binary);
  return true;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** The script that tsc would write for a source: its types taken off. */
function writeScript(scratch: string, file: string, text: string): void {
  const script = file.replace("/src/", "/dist/").replace(/\.ts$/, ".js");
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
  };
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: file });
  writeFileSync(join(scratch, script), outputText);
}
