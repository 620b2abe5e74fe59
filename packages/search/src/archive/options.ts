/**
 * Options of a study, each a row of the table `study`. They must agree when the study is resumed.
 *
 *   target, inputs, seed, train …   what the study is, and the names of its proposers
 *   proposers[0].islands …          how a proposer breeds, by its place, defaults filled in
 *
 * Earlier versions did not write the second kind: of their archives nobody can tell how they bred.
 */

import type { Study } from "../study.js";

const ALWAYS: Readonly<Record<keyof Study | "proposers", true>> = {
  target: true,
  inputs: true,
  seed: true,
  train: true,
  heldOut: true,
  operators: true,
  precision: true,
  domain: true,
  recipe: true,
  limits: true,
  complexityMax: true,
  description: true,
  epoch: true,
  slots: true,
  lag: true,
  islands: true,
  keep: true,
  proposers: true,
};

/** Options that every archive has. */
export const STUDY_OPTIONS: readonly string[] = Object.keys(ALWAYS);

/** Options without which a front cannot be told. */
export const FRONT_OPTIONS = [
  "target",
  "inputs",
  "train",
  "heldOut",
  "operators",
  "precision",
] as const satisfies readonly (keyof Study)[];

/** How the option of a proposer that breeds is called. */
export const breedingOption = (place: number, name: string): string =>
  `proposers[${place}].${name}`;

export const isBreedingOption = (option: string): boolean => option.startsWith("proposers[");
