/**
 * All claims, in the order of the paper.
 */

import type { Claim } from "./claim.js";
import { executionClaims } from "./execution.js";
import { phase0Claims } from "./phase0.js";
import { scaleClaims } from "./scale.js";
import { searchClaims } from "./search.js";

export const claims: readonly Claim[] = [
  ...phase0Claims,
  ...executionClaims,
  ...scaleClaims,
  ...searchClaims,
];
