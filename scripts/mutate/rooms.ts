/**
 * The rooms of the code, and for each the test files that should see a bug in it, the most specific
 * first: a mutant is given to them in this order until one fails.
 *
 * A test file that most bugs of the room fail in comes early, a slow one late. A folder stands for all
 * its test files, so a new one takes part by itself. Browser tests and benchmarks take no part.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

export interface Room {
  readonly name: string;
  /** Folders and files that belong to it, from the root of the repository. */
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

/** Compiled by both sides of the boundary, or generated for both: another number there is the same everywhere. */
const LEFT_OUT = [
  "packages/core/src/layouts/",
  "packages/core/src/program/layout.ts",
  "packages/core/src/program/structures.ts",
  "packages/core/src/fit/layout.ts",
  "packages/core/src/fit/structures.ts",
  "packages/core/wasm/memory/layout.ts",
  "packages/core/wasm/fit/layout.ts",
  "packages/core/src/primitives/rows.ts",
  "packages/core/src/program/cells.ts",
  "packages/core/src/program/asc.d.ts",
  "packages/core/src/bytecode/codes.ts",
  "packages/core/wasm/generated/",
  "packages/core/wasm/kernels/door.ts",
  "packages/core/wasm/math/door.ts",
  "packages/core/wasm/linalg/door.ts",
];

const inFolder = (folder: string, names: string) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => (name.endsWith("/") ? folder + name : `${folder}${name}.test.ts`));
const core = (names: string) => inFolder("packages/core/test/", names);
const search = (names: string) => inFolder("packages/search/test/", names);
const cli = (names: string) => inFolder("packages/cli/test/", names);
const packageTests = (name: string) => [`packages/${name}/test/`];

const LANES = core(`
  lanes/divergence lanes/property lanes/chunks lanes/sorting machine/lanes lanes/budgets
  lanes/trajectory lanes/leaks`);
const MACHINE = core(`
  machine/api machine/gradient machine/shapes machine/history machine/budgets machine/memory
  machine/bad-calls machine/bad-input machine/loops session session-non-finite axes diagnose`);

export const rooms: readonly Room[] = [
  {
    name: "syntax",
    sources: ["packages/core/src/syntax/", "packages/core/src/nearest.ts"],
    tests: core(`
      syntax/line-ends syntax/ratios syntax/quoted-brackets syntax/every-text syntax/names-of-ones-own syntax/places syntax/library syntax/sequences syntax/recur-places syntax/refused-shapes syntax/written-again syntax/seen nearest reader printer format-error
      expander-errors expander language/language semantics machine/nesting machine/bad-input`),
  },
  {
    name: "primitives",
    sources: ["packages/core/src/primitives/"],
    tests: core(
      "primitives/special primitives/plain-numbers primitives primitives/division export/texts language/language semantics",
    ),
  },
  {
    name: "program",
    sources: ["packages/core/src/program/"],
    tests: core(`
      program/meanings program/images program/looped program/constants program/captures program/tail-copies program/wide syntax/formula machine/bad-calls program/analysis language/language
      expander semantics machine/loops machine/nesting export/texts lanes/divergence`),
  },
  {
    name: "bytecode",
    sources: ["packages/core/src/bytecode/"],
    tests: core(`
      bytecode/every-local syntax/line-ends bytecode/literals bytecode/branches bytecode/images bytecode/copies bytecode/assembler bytecode/errors bytecode/elements
      bytecode/machine bytecode/workloads bytecode/page bytecode/second-language bytecode/shuffles bytecode/property
      bytecode/mangled bytecode/every-counter`),
  },
  {
    name: "machine",
    sources: ["packages/core/src/machine/"],
    tests: core(`
      machine/reduced-sums machine/whole machine/alone machine/own-numbers machine/every-option machine/given-back machine/reports machine/words-told machine/counted machine/read-later machine/small-parts machine/input-sets machine/vectors-kept given-code machine/session-tells machine/inner machine/quick-way machine/widths machine/narrow machine/again machine/boundaries
      axes session machine/paths machine/many-paths machine/kinds machine/afresh lanes/budgets machine/api machine/gradient diagnose
      machine/bad-calls machine/bad-input session-non-finite session-axes machine/shapes machine/history
      machine/pauses machine/shortage pool/serve pool/as-one pool/whole machine/lanes lanes/divergence
      machine/faults lanes/sorting lanes/chunks machine/memory lanes/property lanes/mixed-results
      machine/single-walk machine/clock machine/report-budgets machine/text-room machine/jacobian-budgets machine/reading machine/budgets machine/every-size fit/result fit/again
      facts api dmci semantics/rules`),
  },
  {
    name: "machine-pool",
    sources: ["packages/core/src/machine/pool/", "packages/core/src/machine/pool-worker.ts"],
    tests: core(
      "pool/outcome pool/work pool/any-inputs pool/as-one pool/scripted pool/serve pool/shared pool/whole pool/crew pool machine/reading content-policy",
    ),
  },
  {
    name: "export",
    sources: ["packages/core/src/export/"],
    tests: core(
      `fit/formula-digits export/texts export/loaded export/identifiers export/latex-names export/every-loop export/limits export/tail-calls export/every-call export/booleans export/closed-forms export/every-nest
       export/javascript export/fitted export/special-values export/python-numbers export/every-matrix primitives/division`,
    ),
  },
  {
    name: "fit",
    sources: ["packages/core/src/fit/"],
    tests: core(`
      fit/bounded fit/mirrors fit/own-losses fit/resume fit/small-units fit/beside-bounds fit/matrices fit/restarts-apart fit/scores-as-full fit/starts fit/settings fit/small-parts fit/plain-sums fit/bands fit/predictions fit/settling-cut fit/least-deviations fit/corners fit/kinked-likelihoods fit/open-parameters fit/apart fit/shares fit/tables fit/drive fit/quality fit/near-bounds fit/whole fit/refusals
      fit/elementary fit/random fit/told fit/settled fit/every-end fit/magnitudes fit/bad-input fit/odd-values fit/names fit/parameters fit/losses
      fit/as-without fit/result fit/outputs fit/scale fit/loss-text fit/adam fit/steps-max fit/again fit/control
      fit/diagnostics fit/given-back fit/rounds fit/fit-many fit/convergence fit/at-bounds fit/scores
      fit/interruption fit/let-go fit/slots fit/sizes fit/formula-digits fit/units fit/runaways fit/arrival fit/open-ends fit/drawn fit/lbfgs
      fit/levenberg export/fitted fit/kalman-fit examples/examples`),
  },
  {
    name: "wasm",
    sources: ["packages/core/wasm/"],
    tests: [
      ...core(
        "lanes/decisions language/language semantics machine/gradient machine/whole bytecode/machine linalg-shapes fuzz mechanisms",
      ),
      ...core(
        "machine/integers machine/allocator machine/blocks machine/records machine/straight machine/tiles",
      ),
      ...LANES,
      ...MACHINE,
      ...core("lanes/ machine/ bytecode/machine bytecode/property fit/rounds fit/losses"),
    ],
  },
  {
    name: "optimisers",
    sources: ["packages/core/wasm/fit/"],
    tests: core(`
      fit/plain-sums fit/lbfgs fit/levenberg fit/sizes fit/told fit/every-end fit/as-without fit/levenberg-limits fit/magnitudes fit/whole fit/rounds fit/adam fit/losses
      fit/convergence fit/steps-max fit/quality fit/bounded fit/at-bounds fit/parameters fit/scale fit/fit-many fit/control
      fit/short-memory fit/many-rows fit/arrival`),
  },
  {
    name: "kernels",
    sources: ["packages/core/wasm/math/", "packages/core/wasm/linalg/"],
    tests: core(
      "linalg linalg/elimination linalg-subsets linalg-shapes math primitives/division primitives/extremes primitives language/language machine/gradient fuzz",
    ),
  },
  {
    name: "search",
    sources: ["packages/search/src/"],
    tests: search(`
      evolve/atoms shapes lists small-parts spelling study-reaches study timer redact-copies program-texts search evolve/skeleton
      engine/passes engine/digest secret-names redact engine/endless evolve/same-values
      engine/search engine/budgets engine/replay engine/determinism`),
  },
  {
    name: "engine",
    sources: ["packages/search/src/engine/"],
    tests: search(`
      engine/parts engine/memory engine/telling engine/several engine/front engine/limits engine/resumed engine/scripted engine/letting-go
      engine/ends engine/halfway engine/twins engine/studies engine/search engine/resume engine/budgets
      engine/replay engine/determinism archive/archive engine/hostile engine/`),
  },
  {
    name: "epoch",
    sources: ["packages/search/src/epoch/"],
    tests: search(
      "epoch/reading epoch/climb epoch/ engine/twins engine/studies engine/search engine/determinism engine/resume",
    ),
  },
  {
    name: "choice",
    sources: ["packages/search/src/choice/"],
    tests: search(
      "choice/parts choice/parts-of-rows choice/oracles choice/again choice/choosing choice/weigh choice/ engine/front engine/search",
    ),
  },
  {
    name: "pipeline",
    sources: ["packages/search/src/pipeline/"],
    tests: search(`
      pipeline/ engine/search engine/budgets engine/hostile engine/determinism engine/endless`),
  },
  {
    name: "archive",
    sources: ["packages/search/src/archive/"],
    tests: search(
      "archive/checksum-room archive/head-bits archive/salvaged-front archive/standing-numbers archive/head archive/rows archive/tells archive/exact archive/epochs-counted archive/leftovers archive/lineage archive/options archive/every-row archive/left-outs archive/check archive/lock archive/last-moment archive/journal archive/tables archive/damage archive/archive archive/keep archive/ engine/replay",
    ),
  },
  {
    name: "evolve",
    sources: ["packages/search/src/evolve/"],
    tests: search(`
      evolve/pinned evolve/parts evolve/corners evolve/revisits evolve/reading evolve/keeping evolve/simplify
      evolve/same-values evolve/evolve engine/studies evolve/ engine/search`),
  },
  {
    name: "llm",
    sources: ["packages/search/src/llm/"],
    tests: search("llm/http llm/parts llm/paid llm/edges llm/"),
  },
  {
    name: "pool",
    sources: ["packages/search/src/pool/", "packages/search/src/worker.ts"],
    tests: search(
      "pool/inline pool/serve pool/ epoch/pack engine/workers engine/hostile engine/search",
    ),
  },
  {
    name: "tables",
    sources: ["packages/tables/src/"],
    tests: [
      ...inFolder("packages/tables/test/", "lz4 units said-twice edges text every-text xml"),
      ...packageTests("tables"),
      ...cli("table-formats"),
    ],
  },
  {
    name: "report",
    sources: ["packages/report/src/"],
    tests: [
      ...inFolder("packages/report/test/", "front-line words apart variants whole-pages figures"),
      ...packageTests("report"),
      ...cli("fit-report"),
    ],
  },
  {
    name: "tfjs",
    sources: ["packages/tfjs/src/"],
    tests: packageTests("tfjs"),
  },
  {
    name: "cluster",
    sources: ["packages/cluster/src/"],
    tests: [
      ...inFolder("packages/cluster/test/", "parts coordinator meanwhile workers bad-input"),
      ...packageTests("cluster"),
    ],
  },
  {
    name: "cli",
    sources: ["packages/cli/src/"],
    // In this process first. Those that measure limits and whole starts take minutes, and are left out.
    tests: cli(`
      search-command-kept archive-export serve-strangers matrices-by-lane held-out option-texts dialogue-history history-file plots rows small-parts one-file-twice files-and-pipes piped-repl typed-hints internal-errors pipes said-in-words edges results search-display time explained fit-problem options-reach cluster-commands outputs more-outputs serve-here let-go
      start-here interactive serve-again serve-state story-fields story archive-lists output-files fit-corners command-corners fit-errors fit-endings fit names fit-progress
      fit-report table-formats names-of-two-lines terminal secrets on-a-terminal explain search archive-damage serve
      eval repl bytecode errors`),
  },
];

/** All files under folders and file names, from the root, in a fixed order. */
function filesUnder(root: string, paths: readonly string[], ends: string): string[] {
  return paths.flatMap((path) => {
    if (!path.endsWith("/")) return [path];
    return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(ends))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .sort();
  });
}

/** The room's source files. A narrower room's files belong to it alone. */
export function sourcesOf(root: string, room: Room): string[] {
  const narrower = rooms
    .filter((other) => other !== room)
    .flatMap(({ sources }) => sources)
    .filter((path) => room.sources.some((own) => path !== own && path.startsWith(own)));
  return filesUnder(root, room.sources, ".ts").filter(
    (file) => ![...LEFT_OUT, ...narrower].some((path) => file.startsWith(path)),
  );
}

/** Never among a folder's tests: they run long, look at memory or speed, or need a browser. */
const LEFT_OUT_TESTS = /\/(soak|bench)\.test\.ts$|\/browser\/|^packages\/tables\/test\/memory\./;

/** The room's test files in order; those that a folder brings in come after those with a name. */
export function testsOf(root: string, room: Room): string[] {
  return [...new Set(filesUnder(root, room.tests, ".test.ts"))].filter(
    (file) => !LEFT_OUT_TESTS.test(file),
  );
}
