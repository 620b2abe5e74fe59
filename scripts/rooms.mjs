/**
 * Makes a package for Node of which a process reads only what it uses: one file with what every
 * process needs, and rooms, files that are read when one of their functions is first called.
 *
 * V8 looks at every byte of a module when it is loaded, also at functions that nobody calls. A
 * module cannot wait, because what it exports answers at once. Node can read CommonJS files in the
 * middle of a call, so rooms are such files. Pages and their bundlers get other files, in one piece.
 *
 *   index.js     the modules that no room holds; in place of a room's functions, stand-ins that
 *                open the room and call the function
 *   NAME.cjs     one function: it takes the values of modules outside, and returns those of its own
 *
 * A room is given by its doors, the modules that others import. It holds them and all they import,
 * except what index.js or a room before it holds; so each module is in one place. A room that
 * imports from another opens it first, but for doors that are `late`: they stand for code that
 * few calls need. Invariant: what index.js imports from a room, and everybody from a late door, is
 * functions and classes alone, and nobody uses them before somebody calls.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import ts from "typescript";

/** What a module takes from others: [module, name], where "*" is all; and what it imports later. */
function importsOf(file) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022);
  const at = ({ text }) => (text.startsWith(".") ? join(dirname(file), text) : undefined);
  const names = [];
  const later = [];
  const visit = (node) => {
    const isImport =
      ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    if (isImport && ts.isStringLiteral(node.arguments[0])) later.push(at(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  for (const statement of source.statements) {
    const from = statement.moduleSpecifier && at(statement.moduleSpecifier);
    if (from === undefined) continue;
    const list = statement.importClause?.namedBindings ?? statement.exportClause;
    const elements = list?.elements?.map(({ propertyName, name }) => (propertyName ?? name).text);
    for (const name of elements ?? ["*"]) names.push([from, name]);
  }
  return { names, later: later.filter((one) => one !== undefined) };
}

/** All modules that can be reached from some, but for those where `ends`. */
function reach(from, graph, ends) {
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file) || ends(file)) return;
    reached.add(file);
    if (!graph.has(file)) graph.set(file, importsOf(file));
    const { names, later } = graph.get(file);
    for (const [other] of names) visit(other);
    for (const other of later) visit(other);
  };
  for (const file of from) visit(file);
  return reached;
}

/** Which module is in which room; modules outside of rooms are in none. */
function furnish(entries, rooms) {
  const graph = new Map();
  const doors = new Set(Object.values(rooms).flat());
  const outside = reach(entries, graph, (file) => doors.has(file));
  const homes = new Map();
  for (const [room, own] of Object.entries(rooms)) {
    const taken = own.find((file) => homes.has(file));
    if (taken !== undefined) throw new Error(`${taken} is needed by ${homes.get(taken)} already`);
    const isElsewhere = (file) =>
      outside.has(file) || homes.has(file) || (doors.has(file) && !own.includes(file));
    for (const file of reach(own, graph, isElsewhere)) homes.set(file, room);
  }
  return { graph, homes };
}

/** A house knows what crosses its walls: for each module the names that others ask for. */
class House {
  #values = new Map();
  #numbers = new Map();

  constructor(folder, entry, rooms, late) {
    const files = (names) => names.map((name) => join(folder, name));
    const doors = Object.entries(rooms).map(([room, names]) => [room, files(names)]);
    this.folder = folder;
    this.rooms = Object.keys(rooms);
    this.late = new Set(files(late));
    this.entry = join(folder, entry);
    Object.assign(this, furnish([this.entry], Object.fromEntries(doors)));
  }

  async load() {
    for (const file of this.graph.keys())
      this.#values.set(file, await import(pathToFileURL(file).href));
  }

  /** What a name is called among all names that cross walls. */
  nameOf(file, name) {
    if (!this.#numbers.has(file)) this.#numbers.set(file, this.#numbers.size);
    return `${name}_${this.#numbers.get(file)}`;
  }

  valueOf(file, name) {
    return this.#values.get(file)[name];
  }

  /** Whether the entry exports a name from its module. */
  isPublic(file, name) {
    return this.graph.get(this.entry).names.some(([from, one]) => from === file && one === name);
  }

  homeOf(file) {
    return this.homes.get(file);
  }

  /** By module of another home, the names that the modules of one home ask for. */
  asked(home) {
    const asked = new Map();
    for (const [file, { names, later }] of this.graph) {
      if (this.homeOf(file) !== home) continue;
      for (const [from, name] of [...names, ...later.map((one) => [one, "*"])]) {
        if (this.homeOf(from) === home) continue;
        if (!asked.has(from)) asked.set(from, new Set());
        const all = name === "*" ? Object.keys(this.#values.get(from)) : [name];
        for (const one of all) asked.get(from).add(one);
      }
    }
    return asked;
  }

  /** By module of one home, the names that other homes ask for. */
  given(home) {
    const given = new Map();
    for (const other of [undefined, ...this.rooms]) {
      if (other === home) continue;
      for (const [file, names] of this.asked(other)) {
        if (this.homeOf(file) !== home) continue;
        given.set(file, new Set([...(given.get(file) ?? []), ...names]));
      }
    }
    return given;
  }

  /** The names for which there are stand-ins, with their modules. */
  standIns() {
    const late = this.rooms.flatMap((room) =>
      entriesOf(this.asked(room)).filter(([file]) => this.late.has(file)),
    );
    const all = [...entriesOf(this.asked(undefined)), ...late];
    return [
      ...new Map(all.map(([file, name]) => [this.nameOf(file, name), [file, name]])).values(),
    ];
  }

  /** The rooms that must be open before one is. */
  roomsBefore(room) {
    const needed = [...this.asked(room).keys()].filter((file) => !this.late.has(file));
    const homes = needed.map((file) => this.homeOf(file));
    const before = this.rooms.filter((other) => homes.includes(other));
    const behind = before.find((other) => this.rooms.indexOf(other) > this.rooms.indexOf(room));
    if (behind !== undefined) throw new Error(`${room} needs ${behind}, which comes after it`);
    return before;
  }
}

const entriesOf = (map) =>
  [...map].flatMap(([file, names]) => [...names].map((name) => [file, name]));

/** A room's own text: what it gives, by names that are unique in the house. */
const roomText = (house, room) =>
  entriesOf(house.given(room))
    .map(([file, name]) => `export { ${name} as ${house.nameOf(file, name)} } from "${file}";`)
    .join("\n");

/** In a room, a module outside of it: its values are there when the room is opened. */
const outsideText = (house, file, names) =>
  [...names]
    .map((name) => `export const ${name} = outside.${house.nameOf(file, name)};`)
    .join("\n");

/** What stands in for a function or a class until its room is open. */
function standIn(house, file, name, room) {
  const value = house.valueOf(file, name);
  const id = house.nameOf(file, name);
  if (typeof value !== "function")
    throw new Error(`${name} of ${file} is not a function: nothing can stand in for it`);
  const isClass = Function.prototype.toString.call(value).startsWith("class");
  if (isClass && house.isPublic(file, name))
    throw new Error(`${name} of ${file} is a class for users, who may compare and extend it`);
  return isClass
    ? `export let ${id} = function (...given) { open_${room}(); return new ${id}(...given); };`
    : `export let ${id} = (...given) => (open_${room}(), ${id}(...given));`;
}

/** The module that opens rooms. It imports none of ours, so it is there before all others. */
function doorsText(house) {
  const lines = [
    'import { createRequire } from "node:module";',
    "let read;",
    "let all;",
    "export const furnish = (values) => { all = values; };",
    "const values = () => { if (typeof all === 'function') all = all(); return all; };",
    "const readRoom = (name) => {",
    "  read ??= createRequire(import.meta.url);",
    "  return read('./' + name + '.cjs')(values());",
    "};",
  ];
  const all = house.standIns();
  for (const room of house.rooms) {
    const own = all.filter(([file]) => house.homeOf(file) === room);
    const ids = own.map(([file, name]) => house.nameOf(file, name));
    lines.push(
      ...own.map(([file, name]) => standIn(house, file, name, room)),
      `let isOpen_${room} = false;`,
      `export function open_${room}() {`,
      `  if (isOpen_${room}) return;`,
      ...house.roomsBefore(room).map((other) => `  open_${other}();`),
      `  Object.assign(values(), readRoom("${room}"));`,
      `  ({ ${ids.join(", ")} } = all);`,
      `  isOpen_${room} = true;`,
      "}",
    );
  }
  return lines.join("\n");
}

/** The entry: what the package exports, and the values that rooms ask for. */
function entryText(house) {
  const wanted = entriesOf(house.given(undefined));
  const ids = wanted.map(([file, name]) => house.nameOf(file, name));
  const late = house.standIns().filter(([file]) => house.late.has(file));
  const lateIds = late.map(([file, name]) => house.nameOf(file, name));
  return [
    `export * from "${house.entry}";`,
    `import { ${["furnish", ...lateIds].join(", ")} } from "doors";`,
    ...wanted.map(([file, name], i) => `import { ${name} as ${ids[i]} } from "${file}";`),
    `furnish(() => ({ here: import.meta.url, ${[...ids, ...lateIds].join(", ")} }));`,
  ].join("\n");
}

/**
 * Walls for the files of one home: what is behind them comes from texts made here, by its path.
 * A module that is imported later has a text of its own.
 */
const walls = (house, home, texts) => ({
  name: "walls",
  setup(build) {
    const later = (path, suffix = "") => ({ path, suffix, namespace: "later" });
    build.onResolve({ filter: /^(entry|doors)$/ }, ({ path }) => later(path));
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true }));
    build.onResolve({ filter: /^[./]/ }, ({ path, resolveDir, kind }) => {
      const file = resolve(resolveDir, path);
      if (house.homeOf(file) === home) return { path: file };
      return later(file, kind === "dynamic-import" ? "?now" : "");
    });
    build.onLoad({ filter: /./, namespace: "later" }, ({ path, suffix }) => ({
      contents: (texts[path] ?? (suffix === "" ? texts.behind : texts.now))(path),
      resolveDir: house.folder,
    }));
  },
});

/** In index.js, a module that is in a room. */
const standInsText = (house, file) =>
  [...house.asked(undefined).get(file)]
    .map((name) => `export { ${house.nameOf(file, name)} as ${name} } from "doors";`)
    .join("\n");

/** In index.js, a module of a room that is opened by an import. */
function openedText(house, file) {
  const names = [...house.asked(undefined).get(file)];
  return [
    'import * as doors from "doors";',
    `doors.open_${house.homeOf(file)}();`,
    ...names.map((name) => `export const ${name} = doors.${house.nameOf(file, name)};`),
  ].join("\n");
}

/** Builds index.js and the rooms into `out`, a folder beside the modules. */
export async function bundleRooms({ folder, out, entry, rooms, late, options }) {
  const house = new House(folder, entry, rooms, late);
  await house.load();
  const make = (name, format, home, texts, more = {}) =>
    build({
      ...options,
      ...more,
      entryPoints: ["entry"],
      outfile: join(out, name),
      bundle: true,
      absWorkingDir: folder,
      format,
      plugins: [walls(house, home, texts)],
    });
  await make("index.js", "esm", undefined, {
    entry: () => entryText(house),
    doors: () => doorsText(house),
    behind: (file) => standInsText(house, file),
    now: (file) => openedText(house, file),
  });
  for (const room of house.rooms) {
    const needed = house.asked(room);
    const texts = {
      entry: () => roomText(house, room),
      behind: (file) => outsideText(house, file, needed.get(file)),
    };
    await make(`${room}.cjs`, "cjs", room, texts, {
      // In parentheses V8 reads a function once; without them it looks it through first.
      banner: { js: "module.exports = (function (outside) { const module = {};" },
      footer: { js: "return module.exports; });" },
      define: { "import.meta.url": "outside.here" },
    });
  }
}
