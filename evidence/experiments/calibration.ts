/**
 * One calibration of the Kalman model (30 Adam steps), and the rest of a candidate's way (screen,
 * forecast). And peers: the fits that a user of Python would write.
 */

import { fit as calibrate } from "@ndvm/core";
import { machines, stagedLanes } from "../baselines/backends.js";
import { EAGER, type Eager, eagerFit, eagerName, whyNot } from "../baselines/external.js";
import { adamSteps } from "../baselines/fits.js";
import { AUTHOR, referenceCalibration, whyNoReference } from "../baselines/native/reference.js";
import type { Context, Definition } from "../harness/context.js";
import { pythonModule, runPython } from "../harness/tools.js";
import { inputsOf, kalman } from "../programs.js";
import { QUICK } from "./suite.js";

export const FIT_STEPS = 30;
const RATE = 0.05;
const START = { q: 0.3, r: 0.3 } as const;
const LEAST = 1e-4;

async function timeAsync(rounds: number, work: () => Promise<void> | void): Promise<number[]> {
  const samples: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const started = performance.now();
    await work();
    if (round >= 0) samples.push((performance.now() - started) * 1000);
  }
  return samples;
}

/** The paper's recipe by a session: Adam from outside, parameters kept above a bound. */
function fitBySession(): { losses: number[] } {
  const program = machines.single.load(kalman.source);
  const session = program.session({ ...inputsOf(kalman, 1) }, { wrt: ["q", "r"], lanes: 1 });
  const p = Float64Array.of(START.q, START.r);
  const slopes = new Float64Array(2);
  const losses: number[] = [];
  adamSteps(
    p,
    slopes,
    () => {
      for (let i = 0; i < 2; i++) p[i] = Math.max(p[i] as number, LEAST);
      (session.inputs["q"] as Float32Array)[0] = p[0] as number;
      (session.inputs["r"] as Float32Array)[0] = p[1] as number;
      session.run();
      losses.push(session.values[0] as number);
      slopes[0] = session.gradients["q"]?.[0] as number;
      slopes[1] = session.gradients["r"]?.[0] as number;
      return losses.at(-1) as number;
    },
    FIT_STEPS - 1,
  );
  program.dispose();
  return { losses };
}

function fitByStaged(): { losses: number[] } {
  const call = stagedLanes(kalman, false);
  const p = Float64Array.of(START.q, START.r);
  const slopes = new Float64Array(2);
  const columns = [new Float64Array(1), new Float64Array(1)];
  const out = [0, 1, 2].map(() => new Float64Array(1));
  const losses: number[] = [];
  adamSteps(
    p,
    slopes,
    () => {
      for (let i = 0; i < 2; i++) {
        p[i] = Math.max(p[i] as number, LEAST);
        (columns[i] as Float64Array)[0] = p[i] as number;
      }
      call(1, columns, out);
      losses.push(out[0]?.[0] as number);
      slopes[0] = out[1]?.[0] as number;
      slopes[1] = out[2]?.[0] as number;
      return losses.at(-1) as number;
    },
    FIT_STEPS - 1,
  );
  return { losses };
}

/** Trajectories must be the same before their times are compared. */
function sameLosses(
  { recorder }: Context,
  name: string,
  losses: readonly number[],
  ours: readonly number[],
) {
  const apart = losses.map((x, i) => Math.abs(x - (ours[i] as number)) / (1 + Math.abs(x)));
  const worst = Math.max(...apart);
  recorder.count(`${name}/losses apart`, worst, "relative", "at most 1e-3 at every step");
  if (!(worst <= 1e-3)) throw new Error(`${name}: another trajectory, off by ${worst}`);
}

/** A whole fit takes the author's interpreter minutes, so two steps stand for thirty. */
const STEPS_OF_SLOWEST = 2;

function eager(context: Context, kind: Eager, ours: readonly number[]): void {
  const { recorder } = context;
  const name = eagerName(kind);
  const reason = whyNot(kind) ?? (context.isQuick && kind !== "tuned" ? QUICK : undefined);
  if (reason !== undefined) {
    for (const part of ["fit", "step"]) recorder.missing(`${name}/${part}`, reason);
    return;
  }
  const program = { ...kalman, parameters: START };
  const count = kind === "DMCI" ? STEPS_OF_SLOWEST : FIT_STEPS;
  const { losses, steps } = eagerFit(program, { encoding: kind, steps: count, rate: RATE });
  sameLosses(context, name, losses, ours);
  recorder.samples(`${name}/step`, "µs", steps, `${count} steps of one fit, processor time`);
  const sum = steps.reduce((total, each) => total + each, 0);
  const how =
    count === FIT_STEPS
      ? "one fit, since it takes seconds, processor time"
      : `${count} steps of one fit, since one takes minutes, processor time, times ${FIT_STEPS / count}`;
  recorder.count(`${name}/fit`, (sum * FIT_STEPS) / count, "µs", how);
}

function author(context: Context, ours: readonly number[], rounds: number): void {
  const { recorder } = context;
  const reason = whyNoReference();
  if (reason !== undefined) {
    recorder.missing(`${AUTHOR}/fit`, reason);
    return;
  }
  const program = { ...kalman, parameters: START };
  const { losses, fits } = referenceCalibration(program, FIT_STEPS, rounds);
  sameLosses(context, AUTHOR, losses, ours);
  recorder.samples(`${AUTHOR}/fit`, "µs", fits, "from the text, a process of its own, g++ -O3");
}

export const calibration: Definition = {
  name: "calibration",
  weight: 3,
  async run(context) {
    const { recorder } = context;
    const rounds = context.amount(40, 3);
    recorder.condition(
      "fit",
      `${FIT_STEPS} Adam steps of the 80-step likelihood, from q = r = 0.3`,
    );
    const ours = fitBySession().losses;
    sameLosses(context, "staged JavaScript", fitByStaged().losses, ours);
    recorder.samples("ndvm/fit", "µs", await timeAsync(rounds, () => void fitBySession()));
    recorder.samples(
      "staged JavaScript/fit",
      "µs",
      await timeAsync(rounds, () => void fitByStaged()),
    );
    recorder.samples(
      "ndvm/screen",
      "µs",
      await timeAsync(rounds, () => {
        const program = machines.single.load(kalman.source);
        program.evaluate(inputsOf(kalman, 1));
        program.dispose();
      }),
      "text to the first value",
    );
    const program = machines.single.load(kalman.source);
    recorder.samples(
      "ndvm/forecast",
      "µs",
      await timeAsync(rounds, () => void program.evaluate(inputsOf(kalman, 1))),
    );
    program.dispose();
    author(context, ours, rounds);
    for (const kind of EAGER) eager(context, kind, ours);
  },
};

interface Curve {
  readonly name: string;
  readonly source: string;
  readonly model: string;
  readonly start: Readonly<Record<string, number>>;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

const grid = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
const wobble = (i: number) => 0.05 * Math.sin(12.9898 * (i + 1));
const wave = grid(61, 0, 5);
const rise = grid(24, 0.05, 3);

export const CURVES: readonly Curve[] = [
  {
    name: "Michaelis–Menten, 24 points",
    source: "(/ (* Vm x) (+ K x))",
    model: "Vm * x / (K + x)",
    start: { Vm: 1, K: 0.1 },
    x: rise,
    y: rise.map((x, i) => (2 * x) / (0.4 + x) + wobble(i)),
  },
  {
    name: "damped oscillator, 61 points",
    source: "(* a (* (exp (- (* k x))) (cos (* w x))))",
    model: "a * exp(-k * x) * cos(w * x)",
    start: { a: 1, k: 0.1, w: 2.7 },
    x: wave,
    y: wave.map((x, i) => 1.5 * Math.exp(-0.25 * x) * Math.cos(3 * x) + wobble(i)),
  },
];

const PEERS = { SciPy: "scipy", JAX: "jax", CasADi: "casadi" } as const;
type Peer = keyof typeof PEERS;

interface Fitted {
  readonly params: readonly number[];
  readonly cold: readonly number[];
  readonly warm: readonly number[];
}

const PEER_HOW: Readonly<Record<Peer, string>> = {
  SciPy: "curve_fit, method lm, f64",
  JAX: "Levenberg–Marquardt with jacfwd in one jit, f64",
  CasADi: "nlpsol with Ipopt, f64",
};

/** Our own fit, from the text; its constants are what the others must find. */
async function ours({ recorder }: Context, curve: Curve, rounds: number): Promise<number[]> {
  const names = Object.keys(curve.start);
  const params = Object.fromEntries(names.map((n) => [n, { start: curve.start[n] as number }]));
  const data = { x: [...curve.x], y: [...curve.y] };
  const once = async () => {
    const program = machines.double.load(curve.source);
    const { best } = await calibrate(program, { data, target: "y", params, optimiser: "lm" });
    program.dispose();
    return names.map((name) => best.params[name] as number);
  };
  const found = await once();
  const cold = await timeAsync(rounds, async () => void (await once()));
  recorder.samples(`${curve.name}/ndvm/cold`, "µs", cold, "text to constants with errors, f64");
  const program = machines.double.load(curve.source);
  const warm = await timeAsync(rounds, async () => {
    await calibrate(program, { data, target: "y", params, optimiser: "lm" });
  });
  recorder.samples(`${curve.name}/ndvm/warm`, "µs", warm, "a loaded program, f64");
  program.dispose();
  return found;
}

export const peers: Definition = {
  name: "peers",
  weight: 1,
  async run(context) {
    const { recorder } = context;
    recorder.condition("cold", "from the formula, staging included, in a process that is warm");
    recorder.condition("warm", "once more with what the first fit built");
    const rounds = context.amount(40, 4);
    const here = (Object.keys(PEERS) as Peer[]).filter((peer) => pythonModule(PEERS[peer]));
    const job = { curves: CURVES, rounds, colds: context.amount(12, 2), peers: here };
    const all =
      here.length === 0
        ? {}
        : runPython<Partial<Record<Peer, Record<string, Fitted>>>>("baselines/peers.py", job);
    for (const curve of CURVES) {
      const wanted = await ours(context, curve, rounds);
      for (const peer of Object.keys(PEERS) as Peer[]) {
        const key = `${curve.name}/${peer}`;
        const found = all[peer]?.[curve.name];
        if (found === undefined) {
          for (const part of ["cold", "warm", "constants apart"])
            recorder.missing(`${key}/${part}`, `${peer} cannot be imported here`);
          continue;
        }
        const apart = Math.max(
          ...wanted.map((x, i) => Math.abs(x - (found.params[i] as number)) / (1 + Math.abs(x))),
        );
        recorder.count(`${key}/constants apart`, apart, "relative", "at most 1e-4");
        if (!(apart <= 1e-4)) throw new Error(`${curve.name}: ${peer} finds other constants`);
        recorder.samples(`${key}/cold`, "µs", found.cold, PEER_HOW[peer]);
        recorder.samples(`${key}/warm`, "µs", found.warm, PEER_HOW[peer]);
      }
    }
  },
};
