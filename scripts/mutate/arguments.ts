/** What `npm run mutate` is asked to do. */
import { parseArgs } from "node:util";
import { type Room, rooms } from "./rooms.js";

export interface Wish {
  readonly rooms: readonly Room[];
  readonly count: number;
  readonly seed: number;
  readonly jobs: number;
  /** Only files whose path contains one of these; all of them if there are none. */
  readonly files: readonly string[];
  /** Only test files whose path contains one of these; all of the room's if there are none. */
  readonly tests: readonly string[];
  /** A list of bugs by hand, which are planted instead of those that the rules offer. */
  readonly from: string | undefined;
  /** Only lines that differ from this revision. */
  readonly changed: string | undefined;
  /** After this many seconds the run ends; bugs whose tests are still running do not count. */
  readonly seconds: number;
  readonly json: string | undefined;
  /** The share of mutants that must be caught, or the run fails. */
  readonly least: number;
  /** Lists the mutants instead of planting them. */
  readonly list: boolean;
}

export const usage = `npm run mutate -- ROOM[,ROOM] [options]
Plants small bugs one at a time in a copy of the repository, and lists those that no test notices.

  ROOM            ${rooms.map(({ name }) => name).join(", ")}, or all
  --count N       bugs to plant in each room (40)
  --seed S        another choice of bugs (1)
  --files A,B     only in files whose path contains A or B
  --tests A,B     only by tests whose path contains A or B
  --from FILE     plant all bugs of a list instead: [{ "file", "before", "after" }]
  --changed REV   only on lines that differ from a revision
  --jobs J        copies at work at the same time (1)
  --seconds T     end after this time; bugs whose tests still run do not count
  --least SHARE   fail if a smaller share is caught, for example 0.85
  --json FILE     write the survivors and shares to a file
  --list          list the bugs of the choice and plant none`;

export class UsageError extends Error {}

export function wishOf(args: readonly string[]): Wish {
  const { values, positionals } = parse(args);
  const [named, ...rest] = positionals;
  if (named === undefined || rest.length > 0)
    throw new UsageError("name one room, or several with commas");
  return {
    rooms: roomsOf(named),
    count: integerOf("count", values.count, values.from ? Number.POSITIVE_INFINITY : 40),
    seed: integerOf("seed", values.seed, 1),
    jobs: Math.max(1, integerOf("jobs", values.jobs, 1)),
    files: values.files?.split(",") ?? [],
    tests: values.tests?.split(",") ?? [],
    from: values.from,
    changed: values.changed,
    seconds: integerOf("seconds", values.seconds, Number.POSITIVE_INFINITY),
    json: values.json,
    least: share(values.least),
    list: values.list ?? false,
  };
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    ...{
      count: text,
      seed: text,
      files: text,
      tests: text,
      from: text,
      changed: text,
      jobs: text,
      seconds: text,
    },
    ...{ least: text, json: text, list: { type: "boolean" } as const },
  };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function roomsOf(named: string): readonly Room[] {
  if (named === "all") return rooms;
  return named.split(",").map((name) => {
    const room = rooms.find((other) => other.name === name);
    if (!room) throw new UsageError(`there is no room "${name}"`);
    return room;
  });
}

function integerOf(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${option} needs a whole number, got "${text}"`);
  return Number(text);
}

function share(text: string | undefined): number {
  const value = Number(text ?? 0);
  if (!(value >= 0 && value <= 1)) throw new UsageError(`--least needs a share from 0 to 1`);
  return value;
}
