/**
 * Whether TypeScript accepts a source with a bug in it. One that it refuses can never reach a test, so
 * it does not count. AssemblyScript is checked by its own compiler when the machine is built.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { type Mutant, planted } from "./mutant.js";

export class Compiler {
  readonly #root: string;
  readonly #services = new Map<string, ts.LanguageService>();
  /** Sources that differ from the file, by path; their version counts up. */
  readonly #texts = new Map<string, string>();
  readonly #versions = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
  }

  accepts(mutant: Mutant): boolean {
    const path = join(this.#root, mutant.file);
    const service = this.#serviceOf(mutant.file);
    this.#put(path, planted(readFileSync(path, "utf8"), mutant));
    const problems = [
      ...service.getSyntacticDiagnostics(path),
      ...service.getSemanticDiagnostics(path),
    ];
    this.#put(path, undefined);
    return problems.length === 0;
  }

  #put(path: string, text: string | undefined): void {
    this.#versions.set(path, (this.#versions.get(path) ?? 0) + 1);
    if (text === undefined) this.#texts.delete(path);
    else this.#texts.set(path, text);
  }

  #serviceOf(file: string): ts.LanguageService {
    const folder = join(this.#root, ...file.split("/").slice(0, 2));
    const known = this.#services.get(folder);
    if (known) return known;
    const service = ts.createLanguageService(this.#hostOf(folder));
    this.#services.set(folder, service);
    return service;
  }

  #hostOf(folder: string): ts.LanguageServiceHost {
    const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), ts.sys.readFile);
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
    const textOf = (path: string) => this.#texts.get(path) ?? ts.sys.readFile(path);
    return {
      getScriptFileNames: () => fileNames,
      getScriptVersion: (path) => String(this.#versions.get(path) ?? 0),
      getScriptSnapshot: (path) => {
        const text = textOf(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => folder,
      getCompilationSettings: () => options,
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
      fileExists: ts.sys.fileExists,
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
    };
  }
}
