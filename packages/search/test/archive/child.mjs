/**
 * A search in a process of its own, to be killed: node child.mjs FILE CANDIDATES WORKERS.
 *
 * Resumes the study in FILE, or begins it. Writes the number of each visit it hears of to its
 * standard output, at once.
 */
import { writeSync } from "node:fs";
import { evolve, replay, search } from "@ndvm/search";

const [file, candidates, workers] = process.argv.slice(2);
const x = Array.from({ length: 30 }, (_, i) => 0.1 + i / 6);
const y = x.map((t) => 2 * Math.exp(-0.3 * t) * Math.cos(1.7 * t + 0.4));
const programs = [
  "(* a x)",
  "(+ a (* b x))",
  "(car x)",
  "(sin (* a x))",
  "(loop ((s x)) (recur s))",
];

for await (const event of search({
  data: { x, y },
  target: "y",
  seed: 11,
  epoch: 6,
  slots: 2,
  proposers: [
    evolve({ draws: 40, islands: 2, islandSize: 10 }),
    replay(
      programs.map((source) => ({ source })),
      { cycles: Number.POSITIVE_INFINITY },
    ),
  ],
  recipe: {
    rungs: [
      { restarts: 1, steps: 6, share: 1 },
      { restarts: 2, steps: 12, share: 0.25 },
    ],
  },
  budget: { candidates: Number(candidates) },
  workers: Number(workers),
  archive: file,
  resume: true,
})) {
  if (event.type === "candidate") writeSync(1, `${event.outcome.visit}\n`);
  else if (event.type === "done") writeSync(1, "done\n");
}
