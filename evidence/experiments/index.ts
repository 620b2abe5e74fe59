/**
 * All experiments, in the order in which they run: what needs a quiet computer least comes last.
 */

import type { Definition } from "../harness/context.js";
import { cached } from "./cached.js";
import { calibration, peers } from "./calibration.js";
import { adjoints, features, fuzz } from "./correctness.js";
import { batch, lanes } from "./lanes.js";
import { liveSearch } from "./live-search.js";
import { ablation, divergence, multicore } from "./machine.js";
import { phase0 } from "./phase0.js";
import { profile } from "./profile.js";
import { secondClient } from "./second-client.js";
import { staging } from "./staging.js";
import { flat, recurrences } from "./streams.js";
import { suite } from "./suite.js";

export const experiments: readonly Definition[] = [
  suite,
  staging,
  batch,
  lanes,
  profile,
  phase0,
  ablation,
  cached,
  secondClient,
  calibration,
  liveSearch,
  flat,
  recurrences,
  multicore,
  divergence,
  peers,
  fuzz,
  adjoints,
  features,
];
