/**
 * Module hooks behind register-typescript.mjs: a relative import of `x.js` finds `x.ts` where only
 * that exists, and `.ts` files are transpiled as they load.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const compilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  inlineSourceMap: true,
};

export async function resolve(specifier, context, next) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.startsWith("file:")) {
    const asScript = new URL(specifier, context.parentURL);
    const asTypeScript = new URL(specifier.replace(/\.js$/, ".ts"), context.parentURL);
    if (!existsSync(asScript) && existsSync(asTypeScript)) {
      return { url: asTypeScript.href, format: "module", shortCircuit: true };
    }
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context);
  const fileName = fileURLToPath(url);
  const source = await readFile(fileName, "utf8");
  const { outputText } = ts.transpileModule(source, { compilerOptions, fileName });
  return { format: "module", source: outputText, shortCircuit: true };
}
