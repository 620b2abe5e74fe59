/**
 * `npm run evidence`: runs the experiments, writes their samples, and makes the page of them.
 *
 *   node --import ./scripts/register-typescript.mjs evidence/main.ts
 *        [--quick] [--only LABEL]… [--out DIR] [--minutes N] [--page] [--from RUN --out DIR]
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Context, type Definition } from "./harness/context.js";
import { keepRun } from "./harness/keep.js";
import { manifestOf } from "./harness/manifest.js";
import { type Options, readOptions } from "./harness/options.js";
import { MANIFEST, Recorder, readResults, toText, writeResult } from "./harness/store.js";
import { evidenceFolder, repositoryRoot } from "./harness/tools.js";
import { makePage, sections } from "./page/page.js";
import { refresh } from "./page/references.js";

const options = readOptions(process.argv.slice(2));
const folder = options.out === undefined ? evidenceFolder : resolve(options.out);
const results = join(folder, "results");

/** Experiments behind the labels that were asked for; undefined means all. */
function wanted({ only }: Options): ReadonlySet<string> | undefined {
  if (only.length === 0) return undefined;
  const known = sections.flatMap(({ label, experiments }) => [label, ...experiments]);
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `there is no ${unknown}; labels are ${sections.map((s) => s.label).join(", ")}`,
    );
  const found = sections
    .filter(({ label, experiments }) => only.some((o) => o === label || experiments.includes(o)))
    .flatMap(({ label, experiments }) => (only.includes(label) ? experiments : only));
  return new Set(found);
}

async function runAll(list: readonly Definition[]): Promise<void> {
  mkdirSync(results, { recursive: true });
  const manifest = manifestOf(options);
  writeFileSync(join(results, MANIFEST), toText(manifest));
  const whole = options.minutes * 60_000;
  const all = list.reduce((sum, { weight }) => sum + weight, 0);
  const end = performance.now() + whole;
  let weights = all;
  for (const experiment of list) {
    // What an experiment takes beyond its share is missing from those after it, but not all of theirs.
    const left = Math.max(0, end - performance.now());
    const share = Math.max(
      (left * experiment.weight) / weights,
      (0.25 * whole * experiment.weight) / all,
    );
    weights -= experiment.weight;
    const recorder = new Recorder(experiment.name);
    // With --only, experiments of several runs stand side by side.
    for (const name of ["commit", "date"]) recorder.condition(name, manifest[name] ?? "unknown");
    const started = performance.now();
    process.stderr.write(`${experiment.name}\n`);
    await experiment.run(new Context(options, recorder, share));
    writeResult(results, recorder.result());
    process.stderr.write(`  ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  }
}

function writePage(): void {
  const { markdown, figures } = makePage(readResults(results));
  mkdirSync(join(folder, "figures"), { recursive: true });
  for (const [name, svg] of figures) writeFileSync(join(folder, "figures", `${name}.svg`), svg);
  writeFileSync(join(folder, "EVIDENCE.md"), markdown);
  if (options.out !== undefined) return;
  const docs = readdirSync(join(repositoryRoot, "docs")).filter((name) => name.endsWith(".md"));
  for (const file of ["README.md", ...docs.map((name) => `docs/${name}`)]) {
    const path = join(repositoryRoot, file);
    const page = readFileSync(path, "utf8");
    const fresh = refresh(page, readResults(results));
    if (fresh !== page) writeFileSync(path, fresh);
  }
}

const names = wanted(options);
if (!options.isPageOnly) {
  const { experiments } = await import("./experiments/index.js");
  await runAll(experiments.filter(({ name }) => names === undefined || names.has(name)));
}
if (options.from !== undefined)
  keepRun(resolve(options.from), folder, [...new Set(sections.flatMap((s) => s.experiments))]);
writePage();
// Pools and TensorFlow.js may keep handles open.
process.exit(0);
