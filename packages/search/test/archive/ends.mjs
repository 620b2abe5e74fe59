/**
 * A search that never ends by itself, in a process that ends as it is told: node ends.mjs FILE HOW.
 * Says "ready" when the archive has something; what ends it comes from within or by a signal.
 */
import { writeSync } from "node:fs";
import { replay, search } from "@ndvm/search";

const [file, how] = process.argv.slice(2);
const x = Array.from({ length: 12 }, (_, i) => 0.1 + i / 6);
const proposers = [replay([{ source: "(* a x)" }], { cycles: Number.POSITIVE_INFINITY })];
const data = { x, y: x.map((t) => 2 * t + Math.sin(t)) };
let visits = 0;
if (how === "listener") process.on("SIGTERM", () => process.exit(3));
for await (const event of search({ data, target: "y", workers: 0, archive: file, proposers })) {
  if (event.type !== "candidate") continue;
  visits += 1;
  if (visits === 64) writeSync(1, "ready\n");
  if (visits < 200) continue;
  if (how === "exit") process.exit(3);
  if (how === "throw") throw new Error("somebody else's error");
  if (how === "late") setTimeout(() => Promise.reject(new Error("nobody's error")), 0);
  if (how === "pipe") process.stdout.write("more\n");
  if (how === "return") break;
}
