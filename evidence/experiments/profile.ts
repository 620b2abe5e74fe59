/**
 * Where time goes in the tagged eager interpreters, ours and the author's, by cProfile, as in the
 * paper's Phase 0.
 */

import { eagerName, eagerProfile, whyNot } from "../baselines/external.js";
import type { Definition } from "../harness/context.js";
import { five } from "../programs.js";
import { QUICK } from "./suite.js";

export const BUCKETS = ["boxing", "walking", "heap", "dispatch", "arithmetic", "other"] as const;

export const PROFILED = ["tagged", "DMCI"] as const;

export const profile: Definition = {
  name: "profile",
  weight: 1,
  run(context) {
    const { recorder } = context;
    recorder.condition("instrument", "cProfile, own time; that of PyTorch goes to its caller");
    const cases = context.amount(five, five.slice(0, 4));
    for (const kind of PROFILED) {
      const reason = whyNot(kind);
      const few = kind === "DMCI" ? { kalman: 1 } : {};
      const found =
        reason === undefined ? eagerProfile(cases, kind, context.amount(12, 3), few) : {};
      for (const one of five)
        for (const bucket of BUCKETS) {
          const key = `${one.name}/${eagerName(kind)}/${bucket}`;
          const rounds = found[one.name];
          if (rounds === undefined) recorder.missing(key, reason ?? QUICK);
          else {
            const shares = rounds.map((round) => shareOf(round, bucket));
            const slow = rounds.length === 1 ? ", one, since it takes half a minute" : "";
            recorder.samples(key, "%", shares, `one profiled call a sample${slow}`);
          }
        }
    }
  },
};

function shareOf(round: Readonly<Record<string, number>>, bucket: string): number {
  const whole = Object.values(round).reduce((sum, each) => sum + each, 0);
  return (100 * (round[bucket] as number)) / whole;
}
