/**
 * Times of the cluster. None of them decides what a study finds.
 */

import { checkNames } from "@ndvm/core";

export interface Settings {
  /** How long a coordinator may be away before another may take its study. */
  readonly lockMilliseconds: number;
  /** Between two looks for jobs that were lost or given up. */
  readonly lookMilliseconds: number;
  /** How long a worker may give no sign of life before its job runs elsewhere. */
  readonly stalledMilliseconds: number;
  /** Between two looks of a worker for studies, and between two of its signs of life. */
  readonly pollMilliseconds: number;
}

const SETTINGS: Settings = {
  lockMilliseconds: 30_000,
  lookMilliseconds: 5_000,
  stalledMilliseconds: 30_000,
  pollMilliseconds: 500,
};

const NAMES = new Set(Object.keys(SETTINGS));

export const checkSettings = (given: Partial<Settings>): void =>
  checkNames("settings", given, NAMES);

export const settingsOf = (given: Partial<Settings>): Settings => ({ ...SETTINGS, ...given });
