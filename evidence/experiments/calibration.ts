/**
 * One calibration of the Kalman model (30 Adam steps), the rest of a candidate's way (screen,
 * forecast), and the same behind a language model whose latency a local endpoint simulates. And
 * peers: the fits that a user of SciPy would write.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fit as calibrate } from "@ndvm/core";
import { machines, stagedLanes } from "../baselines/backends.js";
import { eagerFit, hasTorch, NO_TORCH } from "../baselines/external.js";
import { adamSteps } from "../baselines/fits.js";
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

function eager(context: Context, kind: "tagged" | "tuned", ours: readonly number[]): void {
  const { recorder } = context;
  const name = `${kind} PyTorch`;
  if (!hasTorch() || (context.isQuick && kind === "tagged")) {
    const reason = hasTorch() ? QUICK : NO_TORCH;
    for (const part of ["fit", "step"]) recorder.missing(`${name}/${part}`, reason);
    return;
  }
  const program = { ...kalman, parameters: START };
  const { losses, steps } = eagerFit(program, { encoding: kind, steps: FIT_STEPS, rate: RATE });
  sameLosses(context, name, losses, ours);
  recorder.samples(`${name}/step`, "µs", steps, "the steps of one fit");
  recorder.count(
    `${name}/fit`,
    steps.reduce((sum, each) => sum + each, 0),
    "µs",
    "one fit",
  );
}

/** An endpoint that answers after so many milliseconds with a program. */
async function endpoint(milliseconds: number) {
  const server = createServer((_, response) => {
    setTimeout(() => response.end(JSON.stringify({ source: kalman.source })), milliseconds);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ask: async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      return ((await answer.json()) as { source: string }).source;
    },
    close: () => server.close(),
  };
}

export const LATENCIES = [500, 2000] as const;

async function behindModel(context: Context): Promise<void> {
  const { recorder } = context;
  for (const latency of LATENCIES) {
    const model = await endpoint(latency);
    const rounds = context.amount(12, 1);
    const [whole, fits]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      const source = await model.ask();
      const asked = performance.now();
      const program = machines.single.load(source);
      program.evaluate(inputsOf(kalman, 1));
      const screened = performance.now();
      fitBySession();
      const fitted = performance.now();
      program.evaluate(inputsOf(kalman, 1));
      program.dispose();
      whole.push((performance.now() - started) * 1000);
      fits.push((100 * (fitted - screened)) / (performance.now() - started));
      if (asked < started) throw new Error("the clock went backwards");
    }
    model.close();
    recorder.samples(`${latency}/candidate`, "µs", whole, "propose, screen, fit, forecast");
    recorder.samples(`${latency}/share of the fit`, "%", fits);
  }
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
    for (const kind of ["tuned", "tagged"] as const) eager(context, kind, ours);
    await behindModel(context);
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

interface SciPy {
  readonly params: readonly number[];
  readonly samples: readonly number[];
}

export const peers: Definition = {
  name: "peers",
  weight: 1,
  async run(context) {
    const { recorder } = context;
    const rounds = context.amount(40, 4);
    const has = pythonModule("scipy") !== undefined;
    const found = has
      ? runPython<Record<string, SciPy>>("baselines/peers.py", { curves: CURVES, rounds })
      : undefined;
    for (const curve of CURVES) {
      const names = Object.keys(curve.start);
      const once = async () => {
        const program = machines.double.load(curve.source);
        const params = Object.fromEntries(
          names.map((n) => [n, { start: curve.start[n] as number }]),
        );
        const data = { x: [...curve.x], y: [...curve.y] };
        const { best } = await calibrate(program, { data, target: "y", params, optimiser: "lm" });
        program.dispose();
        return names.map((name) => best.params[name] as number);
      };
      const ours = await once();
      const samples = await timeAsync(rounds, async () => void (await once()));
      recorder.samples(`${curve.name}/ndvm`, "µs", samples, "text to constants with errors, f64");
      const theirs = found?.[curve.name];
      recorder.missing(`${curve.name}/CasADi`, "no baseline is written for CasADi");
      recorder.missing(
        `${curve.name}/JAX`,
        pythonModule("jax") === undefined
          ? "JAX cannot be imported here"
          : "measured by program in the table of staging",
      );
      if (theirs === undefined) {
        recorder.missing(`${curve.name}/SciPy`, "SciPy cannot be imported here");
        continue;
      }
      const apart = Math.max(
        ...ours.map((x, i) => Math.abs(x - (theirs.params[i] as number)) / (1 + Math.abs(x))),
      );
      recorder.count(`${curve.name}/constants apart`, apart, "relative", "at most 1e-4");
      if (!(apart <= 1e-4)) throw new Error(`${curve.name}: SciPy finds other constants`);
      recorder.samples(`${curve.name}/SciPy`, "µs", theirs.samples, "curve_fit, method lm");
    }
  },
};
