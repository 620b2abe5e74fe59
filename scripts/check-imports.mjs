/**
 * Fails on an import that points against the flow, and on imports that go round in a circle, also
 * inside a room.
 *
 *   packages/core/src    syntax → program → workers → machine → export → fit → index.ts; a room imports itself
 *                        and rooms to its left, plus primitives/, errors.ts, words.ts,
 *                        nearest.ts and option-names.ts. primitives/ and words.ts import only errors.ts, errors.ts nothing.
 *                        layouts/ imports nothing, and nobody imports it: it is what code is
 *                        generated from. Nothing comes from node_modules; Node's own modules only in machine/ (where WebAssembly is
 *                        read).
 *   clients              Scheme is syntax/ and program/, the stack machine bytecode/. Neither imports
 *                        the other. Both may use SHARED, the machine's formats and notation; machine/
 *                        and fit/ use nothing else of them, but for machine/languages.ts.
 *   packages/core/wasm   memory → kernels → tape → lanes → primitives → walk → clients → replay → fit →
 *                        index.ts (the door), where kernels are kernels/, math/, linalg/ and
 *                        generated/; besides src/program/layout, and in fit/ src/fit/layout and
 *                        src/fit/maps. A client (wasm/clients/…) imports no other client, and its own
 *                        layout; only the door imports clients.
 *   packages/tables/src  imports itself, @ndvm/core and its declared dependencies; Node's modules in
 *                        node.ts alone, because the rest runs in browsers.
 *   packages/report/src  the same, and nothing of Node.
 *   packages/tfjs/src    imports itself, @ndvm/core and its peer, TensorFlow.js.
 *   packages/search/src  imports itself, Node's modules, @ndvm/core and its declared dependencies.
 *   packages/cli/src     the same, with @ndvm/search.
 *
 *   node scripts/check-imports.mjs [root]
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { cyclesIn } from "./import-cycles.mjs";

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
const ROOMS = ["syntax", "program", "workers", "machine", "export", "fit"];
/** Files of Scheme's rooms that belong to every client: formats, and how values are written. */
const SHARED = [
  "program/layout",
  "program/parsed-program",
  "program/structures",
  "syntax/characters",
  "syntax/datum",
  "syntax/format-error",
  "syntax/number-text",
  "syntax/position",
  "syntax/print",
  "syntax/suggest",
];
/** Layouts that a client of the machine shares with its encoder. */
const CLIENT_LAYOUTS = { scheme: "program/cells", stack: "bytecode/codes" };
/** The rooms of wasm/ in the order of their flow; those of one entry know each other. */
const WASM_ROOMS = [
  ["memory"],
  ["kernels", "math", "linalg", "generated"],
  ["tape"],
  ["lanes"],
  ["primitives"],
  ["walk"],
  ["clients"],
  ["replay"],
  ["fit"],
];
/** What the machine's half of a fit shares with TypeScript. */
const FIT_SHARED = new Set(["packages/core/src/fit/layout", "packages/core/src/fit/maps"]);
const WASM_FLOW = WASM_ROOMS.map(([room]) => room).join(" → ");

const filesOf = (folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true })
        .map((name) => posix.join(folder, String(name).split(sep).join("/")))
        .filter((name) => name.endsWith(".ts"))
    : [];

/** Specifiers with the line they stand on; `export … from` and `import()` count too. */
function importsOf(file) {
  const text = readFileSync(join(root, file), "utf8");
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
    specifier: fileName,
    line: text.slice(0, pos).split("\n").length,
  }));
}

const isRelative = (specifier) => specifier.startsWith(".");
const targetOf = (file, specifier) => posix.join(posix.dirname(file), specifier);

/** The room of a file of core's src: a room's name, "primitives", or a file at the top. */
function roomOf(path) {
  const inside = posix.relative("packages/core/src", path);
  return inside.split("/")[0].replace(/\.(js|ts)$/, "");
}

/** The public faces: all of the package, and what runs programs. */
const isFace = (room) => room === "index" || room === "light";

function mayImport(from, to) {
  if (isFace(from)) return from === "index" || (to !== "fit" && to !== "export");
  if (from === to) return true;
  if (from === "errors" || from === "nearest" || from === "records") return false;
  if (from === "layouts" || to === "layouts") return false;
  if (to === "errors" || to === "records") return true;
  if (from === "option-names") return to === "nearest";
  if (from === "primitives" || from === "words") return false;
  if (to === "primitives" || to === "nearest" || to === "words" || to === "option-names")
    return true;
  if (to === "bytecode") return from === "machine";
  if (from === "bytecode") return to === "syntax" || to === "program";
  if (from === "workers") return false;
  const at = ROOMS.indexOf(from);
  const target = ROOMS.indexOf(to);
  return at >= 0 && target >= 0 && target < at;
}

function checkCore(file, specifier) {
  const room = roomOf(file);
  if (
    ![
      "index",
      "light",
      "errors",
      "nearest",
      "words",
      "option-names",
      "layouts",
      "primitives",
      "bytecode",
      ...ROOMS,
    ].includes(room)
  ) {
    return `${room} is not a room of core: put the file into ${ROOMS.join(", ")} or primitives`;
  }
  if (specifier.startsWith("node:")) {
    return room === "machine" ? undefined : "only machine/ may use Node's modules";
  }
  if (!isRelative(specifier)) return "core has no dependencies";
  const target = targetOf(file, specifier);
  if (!target.startsWith("packages/core/src/")) return "core's src imports only itself";
  if (mayImport(room, roomOf(target))) return checkClients(file, target);
  return `${room} may not import ${roomOf(target)}: the flow is ${ROOMS.join(" → ")}`;
}

const clientRooms = new Map([
  ["syntax", "Scheme"],
  ["program", "Scheme"],
  ["bytecode", "the stack machine"],
]);

/** What runs any client's programs imports no client, and no client another one. */
function checkClients(file, target) {
  const inside = posix.relative("packages/core/src", target).replace(/\.(js|ts)$/, "");
  const client = SHARED.includes(inside) ? undefined : clientRooms.get(roomOf(target));
  const room = roomOf(file);
  if (client === undefined || isFace(room) || room === "export") return undefined;
  if (clientRooms.get(room) === client) return undefined;
  if (file === "packages/core/src/machine/languages.ts") return undefined;
  return `${room} may not import ${inside}: it belongs to ${client}`;
}

function checkWasm(file, specifier) {
  if (!isRelative(specifier)) return "wasm imports nothing from outside";
  const target = targetOf(file, specifier).replace(/\.(js|ts)$/, "");
  const client = wasmClient(file);
  if (target === "packages/core/src/program/layout") return undefined;
  const isFit = file.startsWith("packages/core/wasm/fit/");
  if (isFit && FIT_SHARED.has(target)) return undefined;
  if (client !== undefined && target === `packages/core/src/${CLIENT_LAYOUTS[client]}`)
    return undefined;
  if (!target.startsWith("packages/core/wasm/"))
    return "wasm imports only wasm/, src/program/layout, and the layouts of a client or of fit there";
  if (file === "packages/core/wasm/index.ts") return undefined;
  const other = wasmClient(target);
  if (other !== undefined && other !== client)
    return `only the door, wasm/index.ts, may import the client ${other}`;
  return checkWasmRooms(file, target);
}

/** A file of wasm/ imports its own room and those before it. */
function checkWasmRooms(file, target) {
  const room = posix.relative("packages/core/wasm", file).split("/")[0];
  const other = posix.relative("packages/core/wasm", target).split("/")[0];
  const at = WASM_ROOMS.findIndex((rooms) => rooms.includes(room));
  const to = WASM_ROOMS.findIndex((rooms) => rooms.includes(other));
  if (at < 0) return `${room} is not a room of wasm: put the file into one of ${WASM_FLOW}`;
  return to >= 0 && to <= at
    ? undefined
    : `${room} may not import ${other}: the flow is ${WASM_FLOW}`;
}

/** The client a file of wasm/ belongs to. */
function wasmClient(path) {
  return /^packages\/core\/wasm\/clients\/([^/]+)\//.exec(path)?.[1];
}

/** A package above core: itself, Node, and what its manifest declares. */
function checkPackage(folder, dependencies, file, specifier) {
  if (specifier.startsWith("node:")) return undefined;
  if (!isRelative(specifier)) {
    const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    return dependencies.has(name) ? undefined : "not among the dependencies of the package";
  }
  const target = targetOf(file, specifier);
  const isOwn = target.startsWith(`${folder}/`) || target === posix.join(folder, "../package.json");
  return isOwn ? undefined : `${folder} imports only itself and its manifest`;
}

function dependenciesOf(folder) {
  const manifest = join(root, folder, "package.json");
  if (!existsSync(manifest)) return new Set();
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
  return new Set(Object.keys({ ...dependencies, ...peerDependencies }));
}

const packageCheck = (folder) => {
  const dependencies = dependenciesOf(folder);
  const source = `${folder}/src`;
  return [source, (file, specifier) => checkPackage(source, dependencies, file, specifier)];
};
/** A package that runs in browsers: only what is in `node` may use Node's modules. */
const webPackageCheck = (folder, node) => {
  const [source, check] = packageCheck(folder);
  return [
    source,
    (file, specifier) =>
      specifier.startsWith("node:") && !node.includes(posix.relative(source, file))
        ? `only ${node.join(", ") || "nothing"} of ${folder} may use Node's modules`
        : check(file, specifier),
  ];
};
const areas = [
  ["packages/core/src", checkCore],
  ["packages/core/wasm", checkWasm],
  webPackageCheck("packages/tables", ["node.ts"]),
  webPackageCheck("packages/report", []),
  packageCheck("packages/tfjs"),
  packageCheck("packages/search"),
  packageCheck("packages/cluster"),
  packageCheck("packages/cli"),
];

let count = 0;
const problems = [];
for (const [folder, check] of areas) {
  for (const file of filesOf(folder)) {
    for (const { specifier, line } of importsOf(file)) {
      count += 1;
      const reason = check(file, specifier);
      if (reason) problems.push(`${file}:${line}: import "${specifier}": ${reason}`);
    }
  }
}

for (const [folder] of areas) {
  const texts = new Map(
    filesOf(folder).map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );
  for (const cycle of cyclesIn(texts)) problems.push(`imports go round: ${cycle.join(", ")}`);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
const where = relative(process.cwd(), root) || ".";
console.log(`${count} imports in ${where}, none against the flow, none in a circle`);
