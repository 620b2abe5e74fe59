/**
 * The parent's side of one job: gives tasks to a runner process, and starts another one when a test does
 * not end or the process is gone.
 */
import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { restoreIn } from "./build.js";
import type { Answer, Task } from "./runner.js";
import { makeScratch, removeScratch } from "./scratch.js";

/**
 * What came of a task. `endless`: a test ran far longer than it does without the bug. `unfinished`: the
 * job was stopped.
 */
export interface Verdict {
  readonly outcome: "refused" | "survived" | "caught" | "endless" | "crashed" | "unfinished";
  readonly test?: string;
  readonly name?: string;
  readonly seconds: number;
}

export interface JobSettings {
  readonly root: string;
  /** Whether tasks change the machine, and its kernels that have a door of their own. */
  readonly machines: boolean;
  readonly doors: boolean;
  /** How long a test file may take when a bug is planted, in seconds. */
  readonly limitOf: (test: string) => number;
  /** Hears of each test file that passes, and of its seconds. */
  readonly passed: (test: string, seconds: number) => void;
}

/** Seconds that a test file may take without a bug. */
const LIMIT_WITHOUT = 600;

const runner = fileURLToPath(new URL("runner.ts", import.meta.url));
const hooks = new URL("../register-typescript.mjs", import.meta.url).href;

export class Job {
  readonly #settings: JobSettings;
  readonly scratch: string;
  #child: ChildProcess | undefined;
  #said = "";
  #stopped = false;
  #stop: () => void = () => {};

  constructor(settings: JobSettings) {
    this.#settings = settings;
    this.scratch = makeScratch(settings.root);
  }

  async run(task: Task): Promise<Verdict> {
    if (this.#stopped) return { outcome: "unfinished", seconds: 0 };
    const child = this.#child ?? (await this.#start());
    const began = performance.now();
    const outcome = await this.#answerTo(child, task);
    if (outcome.outcome === "endless" || outcome.outcome === "crashed") this.#clear(task);
    return { ...outcome, seconds: (performance.now() - began) / 1000 };
  }

  /** The task under way, and every later one, stays unfinished. */
  stop(): void {
    this.#stopped = true;
    this.#stop();
  }

  /** Ends the process with everything it started, and removes the copy. */
  close(): void {
    this.#end();
    removeScratch(this.scratch);
  }

  async #start(): Promise<ChildProcess> {
    const { machines, doors } = this.#settings;
    const flags = [...(machines ? ["--machines"] : []), ...(doors ? ["--doors"] : [])];
    const child = fork(runner, [this.scratch, ...flags], {
      execArgv: ["--import", hooks],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: {
        ...process.env,
        SEED: process.env["SEED"] ?? "1",
        NO_COLOR: "1",
        // Processes that tests start must run the modules: the bundles beside them have no bug.
        NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --conditions=development`,
      },
      detached: true,
    });
    this.#said = "";
    child.stderr?.on("data", (data) => {
      this.#said = (this.#said + data).slice(-4000);
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("exit", () => reject(new Error(`the runner did not start\n${this.#said}`)));
    });
    child.removeAllListeners("exit");
    return child;
  }

  #answerTo(child: ChildProcess, task: Task): Promise<Omit<Verdict, "seconds">> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      let test = "";
      let began = 0;
      const notePassed = (): void => {
        if (test !== "") this.#settings.passed(test, (performance.now() - began) / 1000);
      };
      const finish = (verdict: Omit<Verdict, "seconds">): void => {
        clearTimeout(timer);
        child.removeAllListeners("message");
        child.removeAllListeners("exit");
        resolve(verdict);
      };
      child.on("message", (answer: Answer) => {
        if (answer.outcome === "testing") {
          notePassed();
          test = answer.test;
          began = performance.now();
          clearTimeout(timer);
          const limit = task.mutant ? this.#settings.limitOf(test) : LIMIT_WITHOUT;
          timer = setTimeout(() => finish({ outcome: "endless", test }), limit * 1000);
        } else if (answer.outcome === "caught") finish(answer);
        else if (answer.outcome !== "ready") {
          notePassed();
          finish({ outcome: answer.outcome });
        }
      });
      child.once("exit", () => finish({ outcome: "crashed", test, name: this.#said }));
      this.#stop = () => finish({ outcome: "unfinished" });
      if (this.#stopped) this.#stop();
      else child.send(task);
    });
  }

  /** The process cannot be trusted any more, and the bug is still in the copy. */
  #clear({ mutant }: Task): void {
    this.#end();
    if (!mutant) return;
    const text = readFileSync(join(this.#settings.root, mutant.file), "utf8");
    restoreIn(this.scratch, mutant.file, text);
  }

  #end(): void {
    const pid = this.#child?.pid;
    this.#child = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}
