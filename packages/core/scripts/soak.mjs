/**
 * Fits many programs in one process and tells what it holds: memory stays flat, and a text that was
 * fitted before takes as long as a new one.
 *
 *   node --expose-gc packages/core/scripts/soak.mjs [fits] [--json]
 *
 * The default is 10⁶ fits. Every fit loads a text that no fit before it had (a constant in it is
 * new), fits it by a dozen steps with `detail: "scores"` as a search does, and disposes of it. Kinds
 * take turns: a closed form by Levenberg–Marquardt, Adam over 44 points, a branch with restarts, a
 * recurrence, a likelihood in objective mode; every hundredth program ends in an error.
 */
import { fit, Machine, NdvmError } from "../dist/index.js";

const fits = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 1e6);
const isJson = process.argv.includes("--json");

const numbers = (count, f) => Float64Array.from({ length: count }, (_, i) => f(i));
const x = numbers(44, (i) => -2 + i / 11);
const wave = { x, y: numbers(44, (i) => 0.9 * Math.sin(1.3 * x[i] + 0.4) + 0.1) };
const dose = numbers(12, (i) => 0.1 * (i + 1));
const rate = { x: dose, y: numbers(12, (i) => (2 * dose[i]) / (0.4 + dose[i]) + 0.01 * (i % 3)) };
const corner = { x, y: numbers(44, (i) => Math.max(0.3, x[i]) + 0.02 * (i % 5)) };
const series = { y: numbers(30, (i) => Math.sin(i) + 0.1 * i) };
const scores = { detail: "scores", seed: 1 };

/** A constant that differs in every text and hardly changes the numbers. */
const fresh = (turn) => `1.${String(turn).padStart(9, "0")}`;

const kinds = [
  {
    text: (c) => `(/ (* Vm x) (+ K (* x ${c})))`,
    options: { data: rate, target: "y", params: { Vm: 1, K: 1 }, steps: 12, ...scores },
  },
  {
    text: (c) => `(+ d (* a (sin (+ (* b x) (* c ${c})))))`,
    options: {
      data: wave,
      target: "y",
      params: { a: 0.5, b: 1, c: 0.1, d: 0 },
      optimiser: "adam",
      steps: 12,
      ...scores,
    },
  },
  {
    text: (c) => `(if (< x k) (* s k ${c}) (* s x))`,
    options: {
      data: corner,
      target: "y",
      params: { k: { range: [-1, 1] }, s: 1 },
      restarts: 4,
      steps: 8,
      ...scores,
    },
  },
  {
    text: (c) => `(loop ((k 0) (z x)) (if (= k 8) z (recur (+ k 1) (+ (* r z) (* s ${c})))))`,
    options: {
      data: corner,
      target: "y",
      params: { r: 0.5, s: 0.1 },
      optimiser: "adam",
      steps: 12,
      ...scores,
    },
  },
  {
    text: (c) => `
      (loop ((t 0) (m 0.0) (sum 0.0))
        (if (= t (vlen y))
            sum
            (let ((e (- (ref y t) m)))
              (recur (+ t 1) (+ m (* g e)) (+ sum (+ (log v) (/ (* e e ${c}) v)))))))`,
    options: {
      data: series,
      params: { g: 0.3, v: { start: 1, scale: "log" } },
      steps: 12,
      ...scores,
    },
  },
];

const failing = {
  text: (c) => `(if (< a 100) ((* a ${c}) x) (* a x))`,
  options: { data: wave, target: "y", params: { a: 1 }, ...scores },
  fails: true,
};

const machine = await Machine.create({ precision: "f32" });

async function fitOnce({ text, options, fails }, constant) {
  const program = machine.load(text(constant), { domain: "clamp" });
  try {
    const result = await fit(program, options);
    if (fails) throw new Error("a program that calls a number was fitted");
    return result.best.loss;
  } catch (error) {
    if (!fails || !(error instanceof NdvmError)) throw error;
    return 0;
  } finally {
    program.dispose();
  }
}

const mebibytes = (bytes) => Math.round((bytes / 2 ** 20) * 100) / 100;

function held() {
  globalThis.gc?.();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  return {
    rss: mebibytes(rss),
    heap: mebibytes(heapUsed),
    external: mebibytes(external + arrayBuffers),
    machine: mebibytes(machine.exports.memoryBytes()),
  };
}

async function soak() {
  const marks = [];
  const began = performance.now();
  let sum = 0;
  for (let turn = 0; turn < fits; turn++) {
    const kind = turn % 100 === 99 ? failing : kinds[turn % kinds.length];
    sum += await fitOnce(kind, fresh(turn));
    if (marks.length < Math.floor((10 * (turn + 1)) / fits)) {
      const seconds = (performance.now() - began) / 1000;
      marks.push({ fits: turn + 1, perSecond: Math.round((turn + 1) / seconds), ...held() });
      if (!isJson) tell(Object.values(marks.at(-1)));
    }
  }
  return { marks, sum };
}

/** Fastest fit of a text that was fitted before over the fastest of new ones, taking turns. */
async function repeat(kind, rounds) {
  const best = { same: Infinity, fresh: Infinity };
  for (let round = 0; round < rounds; round++)
    for (const which of ["same", "fresh"]) {
      const constant = which === "same" ? "1.500000000" : `1.5${String(round).padStart(8, "0")}`;
      const began = performance.now();
      await fitOnce(kind, constant);
      best[which] = Math.min(best[which], performance.now() - began);
    }
  return best.same / best.fresh;
}

const headings = ["fits", "fits/s", "RSS MiB", "heap", "external", "machine"];
const tell = (cells) => console.log(cells.map((cell) => String(cell).padStart(9)).join(" "));
if (!isJson) tell(headings);
const { marks, sum } = await soak();
const ratios = [];
for (const kind of [kinds[0], kinds[1], kinds[3]])
  ratios.push(await repeat(kind, Math.min(300, Math.max(40, fits / 20))));
if (isJson) console.log(JSON.stringify({ marks, sum, ratios }));
else {
  console.log(
    `time of a text fitted before over that of a new one: ${ratios.map((each) => each.toFixed(3)).join(" ")}`,
  );
  console.log(`sum of the losses ${sum}`);
}
machine.dispose();
