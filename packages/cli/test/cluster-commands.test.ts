/**
 * `ndvm worker` and `ndvm cluster` in this process: the cluster, the processes and the clock are the
 * test's own, so that every death, signal and address can be told apart.
 */

import { EventEmitter } from "node:events";
import { availableParallelism } from "node:os";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { statusText } from "../src/commands/cluster.js";
import { ndvmHere } from "./here.js";

class Child extends EventEmitter {
  readonly signals: string[] = [];
  constructor(
    readonly args: readonly string[],
    readonly env: NodeJS.ProcessEnv,
  ) {
    super();
  }
  kill(signal: string): void {
    this.signals.push(signal);
  }
}

const worker = { host: "h", process: 7, epochs: 3, candidates: 48, rate: 12.6, silent: 2.4 };
const study = { digest: "0123456789abcdef", target: "y", host: "c", process: 9 };
const known = {
  children: [] as Child[],
  opened: [] as unknown[],
  closed: 0,
  asked: 0,
  told: undefined as ((message: string) => void) | undefined,
};
const status = () => ({
  ...{ address: "redis://h:1", namespace: "ndvm", rate: 12.6 },
  workers: [{ ...worker, studies: ["0123456789abcdef", "fedcba9876543210"] }],
  studies: [{ ...study, waiting: 1, active: 2, delayed: 3, failed: 4 }],
});

vi.mock("node:child_process", async (original) => ({
  ...(await original<typeof import("node:child_process")>()),
  fork: (_: string, args: string[], options: { env: NodeJS.ProcessEnv }) => {
    const child = new Child(args, options.env);
    known.children.push(child);
    return child;
  },
}));

vi.mock("@ndvm/cluster", () => ({
  openCluster: (options: unknown) => {
    known.opened.push(options);
    return {
      address: "redis://h:1",
      status: async () => {
        known.asked += 1;
        return status();
      },
      worker: async ({ tell }: { tell: (message: string) => void }) => {
        known.told = tell;
        return {
          close: async () => {
            known.closed += 1;
          },
        };
      },
    };
  },
}));

beforeEach(() => {
  Object.assign(known, { children: [], opened: [], closed: 0, asked: 0 });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const listeners = (): number => process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");

/** Lets everything happen that waits for no clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The command, when it waits for a signal or has ended. */
async function begin(...args: string[]) {
  const before = listeners();
  let isOver = false;
  const ending = ndvmHere(args).finally(() => {
    isOver = true;
  });
  while (!isOver && listeners() === before) await new Promise((resolve) => setImmediate(resolve));
  await settle();
  return {
    ending,
    async signal(name: "SIGINT" | "SIGTERM") {
      process.emit(name, name);
      await settle();
    },
  };
}

/** Ends processes that were asked to, as they would. */
async function obey(): Promise<void> {
  for (const child of known.children.filter(({ signals }) => signals.length > 0))
    child.emit("close", 0);
  await settle();
}

describe("ndvm worker", () => {
  test("starts as many processes as it is told, or one for each core", async () => {
    for (const [more, count] of [
      [["--workers", "3"], 3],
      [[], Math.max(1, availableParallelism())],
    ] as const) {
      if (count === 1) continue;
      known.children = [];
      const { ending, signal } = await begin("worker", "--cluster", "redis://u:pass@h:1", ...more);
      expect(known.children).toHaveLength(count);
      await signal("SIGTERM");
      await obey();
      expect((await ending).code).toBe(0);
    }
  });

  test("tells its processes the address by their environment and the namespace by an option", async () => {
    vi.stubEnv("NDVM_CLUSTER", "redis://other:1");
    const given = ["--cluster", "redis://u:pass@h:1", "--namespace", "mine", "--workers", "2"];
    const { ending, signal } = await begin("worker", ...given);
    for (const { args, env } of known.children) {
      expect(args).toEqual(["worker", "--workers", "1", "--namespace", "mine"]);
      expect(env["NDVM_CLUSTER"]).toBe("redis://u:pass@h:1");
    }
    expect(known.opened).toEqual([{ url: "redis://u:pass@h:1", namespace: "mine" }]);
    await signal("SIGINT");
    await obey();
    // Processes that end because they were asked to are not told of: nobody replaces them.
    expect(await ending).toEqual({ code: 0, stdout: "", stderr: "" });
    known.children = [];
    const other = await begin("worker", "--workers", "2");
    for (const { args, env } of known.children) {
      expect(args).toEqual(["worker", "--workers", "1"]);
      expect(env["NDVM_CLUSTER"]).toBe("redis://other:1");
    }
    await other.signal("SIGINT");
    await obey();
    await other.ending;
  });

  test("replaces a process that died, later each time, and soon again after a long life", async () => {
    const { ending, signal } = await begin("worker", "--cluster", "redis://h:1", "--workers", "2");
    let count = 2;
    const die = async (code: number | null) => {
      (known.children.at(-1) as Child).emit("close", code);
      await vi.advanceTimersByTimeAsync(0);
    };
    for (const wait of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      await die(null);
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(known.children, `before ${wait} ms`).toHaveLength(count);
      await vi.advanceTimersByTimeAsync(1);
      count += 1;
      expect(known.children, `after ${wait} ms`).toHaveLength(count);
    }
    await vi.advanceTimersByTimeAsync(10_001);
    await die(1);
    await vi.advanceTimersByTimeAsync(500);
    expect(known.children).toHaveLength(count + 1);
    await signal("SIGTERM");
    // The one that died is not asked again.
    expect(known.children.filter(({ signals }) => signals.length > 0)).toHaveLength(2);
    await obey();
    const { code, stderr } = await ending;
    expect(code).toBe(0);
    expect(stderr).toContain("a worker process ended (killed) and is replaced");
    expect(stderr).toContain("a worker process ended (1) and is replaced");
    expect(known.children).toHaveLength(count + 1);
  });

  test("ends with 2 and ends the others where one is refused", async () => {
    const { ending } = await begin("worker", "--cluster", "redis://h:1", "--workers", "3");
    (known.children[1] as Child).emit("close", 2);
    await vi.advanceTimersByTimeAsync(0);
    expect(known.children.map(({ signals }) => signals)).toEqual([["SIGTERM"], [], ["SIGTERM"]]);
    await obey();
    expect(await ending).toEqual({ code: 2, stdout: "", stderr: "" });
    expect(known.children).toHaveLength(3);
  });

  test("a process that dies while the group ends is not replaced", async () => {
    const { ending, signal } = await begin("worker", "--cluster", "redis://h:1", "--workers", "2");
    (known.children[0] as Child).emit("close", 1);
    await vi.advanceTimersByTimeAsync(10);
    await signal("SIGTERM");
    (known.children[1] as Child).emit("close", 1);
    await vi.advanceTimersByTimeAsync(60_000);
    const { code, stderr } = await ending;
    expect(code).toBe(0);
    expect(stderr.match(/is replaced/g)).toHaveLength(1);
    expect(known.children).toHaveLength(2);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "a process that waited to be replaced kept the group from ending for so long (%s)",
    async (name) => {
      const { ending, signal } = await begin(
        "worker",
        "--cluster",
        "redis://h:1",
        "--workers",
        "2",
      );
      (known.children[0] as Child).emit("close", null);
      await vi.advanceTimersByTimeAsync(0);
      await signal(name);
      await obey();
      // No moment passes by the clock.
      expect((await ending).code).toBe(0);
      expect([known.children.length, vi.getTimerCount()]).toEqual([2, 0]);
    },
  );

  test("one works in this process, tells what it does, and leaves in order", async () => {
    // The tests' own channel stays; the command's would keep its process alive.
    const disconnect = vi.spyOn(process, "disconnect").mockImplementation(() => {});
    const { ending, signal } = await begin("worker", "--cluster", "redis://h:1", "--workers", "1");
    expect(known.children).toHaveLength(0);
    known.told?.("a study of y has come");
    expect(known.closed).toBe(0);
    await signal("SIGTERM");
    const { code, stderr } = await ending;
    expect([code, known.closed]).toEqual([0, 1]);
    expect(disconnect).toHaveBeenCalledTimes(1);
    expect(stderr).toContain("waits for studies at redis://h:1");
    expect(stderr).toContain("a study of y has come");
  });
});

describe("ndvm cluster", () => {
  test("shows once, as text or as JSON", async () => {
    const text = await (await begin("cluster", "--cluster", "redis://h:1")).ending;
    expect(text).toMatchObject({ code: 0, stdout: `${statusText(status() as never)}\n` });
    const json = await (await begin("cluster", "--cluster", "redis://h:1", "--json")).ending;
    expect(JSON.parse(json.stdout)).toEqual(status());
    expect([known.asked, vi.getTimerCount()]).toEqual([2, 0]);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "--watch shows it again every second until %s",
    async (name) => {
      const watch = await begin("cluster", "--cluster", "redis://h:1", "--watch");
      expect(known.asked).toBe(1);
      await vi.advanceTimersByTimeAsync(999);
      expect(known.asked).toBe(1);
      await vi.advanceTimersByTimeAsync(2001);
      expect(known.asked).toBe(4);
      await watch.signal(name);
      await vi.advanceTimersByTimeAsync(1000);
      const { code, stdout } = await watch.ending;
      expect([code, known.asked]).toEqual([0, 4]);
      expect(stdout).not.toContain("\x1b");
      expect(stdout.match(/1 worker, 1 study/g)).toHaveLength(4);
      const other = name === "SIGINT" ? "SIGTERM" : "SIGINT";
      process.emit(other, other);
    },
  );

  test("--watch clears a terminal before each, but not before JSON", async () => {
    const { isTTY } = process.stdout;
    process.stdout.isTTY = true;
    try {
      for (const [more, clears] of [
        [[], 2],
        [["--json"], 0],
      ] as const) {
        const watch = await begin("cluster", "--cluster", "redis://h:1", "--watch", ...more);
        await vi.advanceTimersByTimeAsync(1000);
        await watch.signal("SIGINT");
        await vi.advanceTimersByTimeAsync(1000);
        const { stdout } = await watch.ending;
        expect(stdout.split("\x1b[H\x1b[2J").length - 1).toBe(clears);
        process.emit("SIGTERM", "SIGTERM");
      }
    } finally {
      process.stdout.isTTY = isTTY;
    }
  });

  test("says who is there and what waits, each number in its column", () => {
    const lines = statusText(status() as never).split("\n");
    expect(lines[0]).toBe("redis://h:1, namespace ndvm: 1 worker, 1 study, 13 candidates a second");
    const cells = (line = "") => line.trim().split(/ {2,}/);
    expect([cells(lines[2]), cells(lines[3])]).toEqual([
      ["host", "process", "epochs", "candidates", "per second", "seen", "studies"],
      ["h", "7", "3", "48", "13", "2 s ago", "01234567 fedcba98"],
    ]);
    expect([cells(lines[5]), cells(lines[6])]).toEqual([
      ["study", "target", "coordinator", "waiting", "running", "again", "given up"],
      ["01234567", "y", "c 9", "1", "2", "3", "4"],
    ]);
    const empty = { ...status(), workers: [], studies: [], rate: 0.4 };
    expect(statusText(empty as never)).toBe(
      "redis://h:1, namespace ndvm: 0 workers, 0 studies, 0 candidates a second",
    );
  });
});
