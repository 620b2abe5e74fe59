/** Runs the API cases in Node before the browser starts, and hands it the bits to reproduce. */

import type { TestProject } from "vitest/node";
import { apiCases, keyOf, precisions, runCase } from "../api.shared.js";

declare module "vitest" {
  export interface ProvidedContext {
    nodeResults: Readonly<Record<string, Readonly<Record<string, string>>>>;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const results: Record<string, Record<string, string>> = {};
  for (const precision of precisions) {
    for (const apiCase of apiCases) {
      const result = runCase(apiCase, precision);
      results[keyOf(apiCase, precision)] = await result.catch((error) => ({
        error: String(error),
      }));
    }
  }
  project.provide("nodeResults", results);
}
