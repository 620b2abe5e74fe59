/** `ndvm fit` as a process: signals, pipes, standard input, a million rows. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { folder, ndvm, shell, startNdvm, untilBusy, writeFile } from "./run.js";

const model = "(* a (exp (- (* k t))))";

beforeAll(() => {
  const rows = Array.from({ length: 60 }, (_, row) => `${row / 6},${3 * Math.exp(-row / 15)}`);
  writeFile("decay.csv", `t,y\n${rows.join("\n")}\n`);
  writeFile("model.scm", model);
});

/** A fit that takes as long as it is let. */
const endless = [
  ...["fit", "-e", "(* a (sin (* w t)))", "--data", "decay.csv", "--target", "y"],
  ...["--param", "w=1..1000", "--param", "a=1..9", "--restarts", "30000", "--optimiser", "adam"],
  ...["--steps", "1e6"],
];

describe("Ctrl-C", () => {
  test("returns the best so far and says so, with exit code 130", async () => {
    const child = startNdvm([...endless, "--out", "part.json"]);
    await untilBusy(child);
    child.kill("SIGINT");
    const { code, stdout, stderr } = await child.outcome;
    expect(stderr).toContain("interrupted with Ctrl-C: this is the best so far");
    expect(stderr).toContain("go on with --resume part.json");
    expect(stdout).toContain("parameter");
    expect(code).toBe(130);
    const written = JSON.parse(readFileSync(join(folder, "part.json"), "utf8"));
    expect(written.stopped).toBe("aborted");
  });

  test("with --json still prints one object", async () => {
    const child = startNdvm([...endless, "--json"]);
    await untilBusy(child);
    child.kill("SIGINT");
    const { code, stdout } = await child.outcome;
    expect(JSON.parse(stdout).stopped).toBe("aborted");
    expect(code).toBe(130);
  });
});

describe("streams", () => {
  test("a pipe gets the result without colour, bar or plot", () => {
    const { code, stdout, stderr } = shell(
      "ndvm fit model.scm --data decay.csv --target y --param k=0.1..9 --restarts 50 | cat",
    );
    expect(stdout).toMatch(/^parameter/);
    expect(stdout + stderr).not.toContain("\u001b");
    expect(stdout).not.toContain("●");
    expect(code).toBe(0);
  });

  test("--json prints JSON and nothing else", () => {
    const args = ["fit", "model.scm", "--data", "decay.csv", "--target", "y", "--json", "--quiet"];
    const { code, stdout, stderr } = ndvm(args);
    expect(JSON.parse(stdout).best.params.k).toBeCloseTo(0.4, 6);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  test("data or the program come from standard input", () => {
    const { stdout } = shell("cat decay.csv | ndvm fit model.scm --data - --target y");
    expect(stdout).toContain("60 of 60 rows of standard input");
    const piped = shell("cat model.scm | ndvm fit --data decay.csv --target y");
    expect(piped.stdout).toContain("60 of 60 rows of decay.csv");
  });

  test("an exported function runs by itself", () => {
    const { stdout } = shell(
      "ndvm fit model.scm --data decay.csv --target y --export js --quiet 2>/dev/null > m.js && " +
        "echo 'console.log(model({ t: 0 }))' >> m.js && node m.js",
    );
    expect(Number(stdout)).toBeCloseTo(3, 6);
  });
});

test("a million rows are fitted", () => {
  const pieces = ["t,y,note\n"];
  for (let row = 0; row < 1_000_000; row++) {
    const t = (row % 1000) / 100;
    pieces.push(`${t},${(3 * Math.exp(-0.4 * t) + 0.01 * Math.cos(row)).toFixed(5)},n${row % 9}\n`);
  }
  writeFile("million.csv", pieces.join(""));
  const { code, stdout } = ndvm([
    ...["fit", "model.scm", "--data", "million.csv", "--target", "y", "--quiet"],
    ...["--where", "(< t 9)", "--hold-out", "10%"],
  ]);
  expect(stdout).toContain("810,000 of 1,000,000 rows of million.csv");
  expect(stdout).toContain("90,000 rows held out: RMSE");
  expect(stdout).toMatch(/k +0\.(4000|3999)/);
  expect(code).toBe(0);
});
