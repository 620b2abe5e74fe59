/**
 * Prints the files of core that one `gradient()` call and one `fit` pass through, as V8 counts calls,
 * without those that only reading the program needs.
 *
 *   node --import ./scripts/register-typescript.mjs scripts/count-files.mjs
 */
import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const source = new URL("../packages/core/src/", import.meta.url);
const core = await import(new URL("index.ts", source).href);

/** Files with a function that `work` calls. */
async function filesOf(work) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  session.disconnect();
  return result
    .filter(({ url }) => url.startsWith(source.href))
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== "" && ranges[0].count > 0),
    )
    .map(({ url }) => relative(fileURLToPath(source), fileURLToPath(url.split("?")[0])))
    .sort();
}

const machine = await core.Machine.create();
const program = machine.load("(* a (exp (* k t)))");
const data = { t: [0, 1, 2, 3, 4, 5], y: [2, 1.5, 1.1, 0.8, 0.6, 0.45] };
const tell = (name, files) => {
  console.log(`${name}: ${files.length} files`);
  for (const file of files) console.log(`  ${file}`);
};
tell(
  "gradient",
  await filesOf(() => program.gradient({ a: 2, k: -0.5, t: data.t }, { wrt: ["a", "k"] })),
);
tell(
  "fit",
  await filesOf(() => core.fit(program, { data, target: "y", params: { a: 1, k: -0.1 } })),
);
machine.dispose();
