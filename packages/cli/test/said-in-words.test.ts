/**
 * What errors are said in: every reason in the words of every command, every option as it is typed there, and
 * every slip of the keyboard with what was meant. All sentences stand here as they are shown.
 */

import type { ErrorFacts, Reason } from "@ndvm/core";
import { NdvmError } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { type Command, type Context, inCommandWords, optionName } from "../src/command-words.js";
import { ndvmHere } from "./here.js";
import { writeFile } from "./run.js";

const COMMANDS: readonly Command[] = ["run", "repl", "fit", "search"];

/** Facts of an error, some of every kind. */
const FACTS: ErrorFacts = {
  ...{ option: "stepsMax", names: ["one", "two"], values: [1.5, 2.5], expected: "EXPECTED" },
  ...{ actual: "ACTUAL", rows: [0, 4], rowsMore: 3, column: "COLUMN", value: 7, limit: 9 },
  cause: { message: "CAUSE", help: "CAUSE-HELP", facts: {} },
};

const error = (facts: ErrorFacts, help: string | undefined = "HELP"): NdvmError =>
  new NdvmError("E-INPUT", "MESSAGE", {
    ...{ help, facts, source: "(source)", file: "file.scm", span: { start: 1, end: 3 } },
  });

const words = (facts: ErrorFacts, context: Context): string => {
  const { message, help } = inCommandWords(error(facts), context);
  return `${message} | ${help}`;
};

const REASONS: readonly Reason[] = [
  ...([
    "budget",
    "recursion",
    "room",
    "result",
    "report",
    "together",
    "first",
    "occupied",
  ] as const),
  ...([
    "aborted",
    "option",
    "needs",
    "input",
    "lanes",
    "structure",
    "seed",
    "cell",
    "missing",
  ] as const),
  ...(["infinite", "count", "trials", "deviation", "weight", "group", "points", "target"] as const),
  ...([
    "shape",
    "slip",
    "builtin",
    "bounds",
    "failure",
    "prediction",
    "objective",
    "loss",
  ] as const),
  ...(["gradient", "within", "sheet", "word", "words", "busy", "twice"] as const),
];

test("every reason has its sentence in every command", () => {
  const told: string[] = [];
  for (const reason of REASONS) {
    const by = new Map<string, Command[]>();
    for (const command of COMMANDS) {
      const said = words({ ...FACTS, reason }, { command });
      by.set(said, [...(by.get(said) ?? []), command]);
    }
    for (const [said, commands] of by)
      told.push(`${reason}${commands.length === 4 ? "" : ` (${commands.join(", ")})`}: ${said}`);
  }
  expect(told).toMatchInlineSnapshot(`
    [
      "budget (run, repl): MESSAGE | check that every loop ends, or raise --steps",
      "budget (fit, search): MESSAGE | check that every loop ends",
      "recursion (run, repl, fit): MESSAGE | check that it ends; a call in tail position needs no memory, or raise --memory",
      "recursion (search): MESSAGE | check that it ends; a call in tail position needs no memory",
      "room (run, repl, fit): MESSAGE | raise --memory",
      "room (search): MESSAGE | raise the memory",
      "result (run, repl, fit): MESSAGE | return less of it, since shared structure is written out once for every use, or raise --memory",
      "result (search): MESSAGE | return less of it, since shared structure is written out once for every use",
      "report (run, repl, fit): MESSAGE | explain fewer lanes, or a shorter run, or raise --memory",
      "report (search): MESSAGE | explain fewer lanes, or a shorter run",
      "together (run, repl, fit): MESSAGE | fit fewer restarts together, or raise --memory",
      "together (search): MESSAGE | fit fewer restarts together",
      "first (run, repl): the first evaluation took longer than --steps | give more time, or a limit on evaluation steps (--steps) that ends slow programs",
      "first (fit, search): the first evaluation took longer than the time allows | give more time",
      "occupied (run, repl): the machine was busy with another evaluation until the fit had used up --steps | HELP",
      "occupied (fit, search): the machine was busy with another evaluation until the fit had used up its time | HELP",
      "aborted: the evaluation was interrupted | it was Ctrl-C; --timeout 5s and --steps 1e6 end a program by themselves",
      "option (run, repl): --steps is ACTUAL | EXPECTED",
      "option (fit, search): the option stepsMax is ACTUAL | EXPECTED",
      "needs (run, repl): --steps needs a one | HELP",
      "needs (fit): the option stepsMax needs a one | without --target the program's value is the loss",
      "needs (search): the option stepsMax needs a one | HELP",
      "input (run, fit, search): MESSAGE | give it one: --set one=1; the program's inputs are EXPECTED",
      "input (repl): MESSAGE | set an input with :set name=value; :inputs lists those that are set",
      "lanes (run, fit, search): MESSAGE | lists, ranges and columns have one value per lane; --set v='[1, 2, 3]' is one vector, shared",
      "lanes (repl): MESSAGE | set an input with :set name=value; :inputs lists those that are set",
      "structure: MESSAGE | only numbers, vectors and matrices have values",
      "seed: MESSAGE | give one: --seed-adjoint 1,0",
      "cell: column COLUMN holds ACTUAL in rows 1, 5 and 3 more, which is not a number | HELP",
      "missing: column COLUMN has no value in rows 1, 5 and 3 more | HELP",
      "infinite (run, repl, search): column COLUMN holds ACTUAL in rows 1, 5 and 3 more | HELP",
      "infinite (fit): column COLUMN holds ACTUAL in rows 1, 5 and 3 more | a fit needs finite numbers: count the cell as missing by --na inf, or leave the row out by --where",
      "count: the target COLUMN is 7 in rows 1, 5 and 3 more | HELP",
      "trials: the target COLUMN is 7 in rows 1, 5 and 3 more, of 9 trials | HELP",
      "deviation: sigma is 7 in rows 1, 5 and 3 more | HELP",
      "weight: the weight of rows 1, 5 and 3 more is 7 | HELP",
      "group: rows 1, 5 and 3 more is of the group ACTUAL, which the fit did not see | HELP",
      "points: MESSAGE | HELP",
      "target: MESSAGE | a prediction is made without it; leave out --target where the program's value is the loss",
      "shape: MESSAGE | HELP",
      "slip: MESSAGE | did you mean EXPECTED? If one is a parameter, declare it: --param one",
      "builtin (run, repl, search): MESSAGE | rename it, or declare it: --set one=1",
      "builtin (fit): MESSAGE | rename it, or declare it: --param one",
      "bounds: MESSAGE | HELP",
      "failure: the program fails on rows 1, 5 and 3 more at one = 1.5, two = 2.5: CAUSE | CAUSE-HELP",
      "prediction: the prediction is not finite on rows 1, 5 and 3 more at one = 1.5, two = 2.5: ACTUAL | start elsewhere, draw starts from a range, or bound the parameters, or leave these rows out with --where",
      "objective: the loss is not finite at one = 1.5, two = 2.5: ACTUAL | start elsewhere, draw starts from a range, or bound the parameters",
      "loss: the loss fails on rows 1, 5 and 3 more at one = 1.5, two = 2.5: ACTUAL | start elsewhere, or write a loss that is finite there",
      "gradient: the loss or its gradient is not finite at one = 1.5, two = 2.5 | start elsewhere, draw starts from a range, or bound the parameters",
      "within: ACTUAL: CAUSE | CAUSE-HELP",
      "sheet (run, repl): MESSAGE | HELP",
      "sheet (fit, search): MESSAGE | its sheets are one, two: --sheet one",
      "word (run, repl): MESSAGE | HELP",
      "word (fit): MESSAGE | correct it, leave the row out with --where, or count it as missing: --na ACTUAL",
      "word (search): MESSAGE | correct it, or leave the row out with --where",
      "words (run, repl): MESSAGE | HELP",
      "words (fit): MESSAGE | the column holds words: --where COLUMN=ACTUAL takes rows by them, --group COLUMN:… makes groups of them",
      "words (search): MESSAGE | correct it, or leave the row out with --where",
      "busy: MESSAGE | HELP",
      "twice: MESSAGE | HELP",
    ]
  `);
});

test("every option is typed by its own name, or cannot be typed", () => {
  const names = [
    ...["memoryMax", "stepsMax", "tapeBytesMax", "timeMax", "groups", "isNegativeLogLikelihood"],
    ...[
      "adam.rate",
      "adam.beta1",
      "complexityMax",
      "operators",
      "budget.candidates",
      "budget.fits",
    ],
    ...["budget.seconds", "budget.tokens", "budget.cost", "budget.r2", "lag", "chunk", "detail"],
    ...["tolerances", "huberWidth", "restarts", "holdOut", "params.a.bounds"],
  ];
  const typed = names.map(
    (name) => `${name}: ${COMMANDS.map((command) => optionName(name, command) ?? "–").join(" ")}`,
  );
  expect(typed).toMatchInlineSnapshot(`
    [
      "memoryMax: --memory --memory --memory –",
      "stepsMax: --steps --steps – –",
      "tapeBytesMax: --memory --memory – –",
      "timeMax: --timeout --timeout --time --budget",
      "groups: – – --group –",
      "isNegativeLogLikelihood: – – --likelihood –",
      "adam.rate: – – --rate –",
      "adam.beta1: – – – –",
      "complexityMax: – – – --max-complexity",
      "operators: – – – --ops",
      "budget.candidates: – – – --candidates",
      "budget.fits: – – – --fits",
      "budget.seconds: – – – --budget",
      "budget.tokens: – – – --tokens",
      "budget.cost: – – – --max-cost",
      "budget.r2: – – – --r2",
      "lag: – – – –",
      "chunk: – – – –",
      "detail: – – – –",
      "tolerances: – – – –",
      "huberWidth: – – --huber-width --huber-width",
      "restarts: – – --restarts --restarts",
      "holdOut: – – --hold-out --hold-out",
      "params.a.bounds: – – – –",
    ]
  `);
});

describe("what a command knows of its table", () => {
  type More = { readonly [K in keyof Context]?: Context[K] | undefined };
  const fit = (facts: ErrorFacts, more: More = {}) =>
    words({ ...FACTS, ...facts }, { command: "fit", rowCount: 20, ...more } as Context);

  test("says how many rows are left out where there are too few points, and only then", () => {
    expect(fit({ reason: "points" }, { rowsLeftOut: 1 })).toBe(
      "MESSAGE | 1 of 20 rows are left out; HELP",
    );
    for (const rowsLeftOut of [0, undefined])
      expect(fit({ reason: "points" }, { rowsLeftOut })).toBe("MESSAGE | HELP");
  });

  test("asks for a target where the program's value is no number and a table is there", () => {
    const wanted = "MESSAGE | without --target the program's value is the loss, one number; ";
    expect(fit({ reason: "shape" })).toBe(`${wanted}for predictions of a column give --target`);
    expect(fit({ reason: "shape" }, { hasTarget: false, unusedColumn: "y" })).toBe(
      `${wanted}for predictions of a column give --target y`,
    );
    expect(fit({ reason: "shape" }, { hasTarget: true, unusedColumn: "y" })).toBe("MESSAGE | HELP");
    expect(fit({ reason: "shape" }, { rowCount: undefined })).toBe("MESSAGE | HELP");
  });

  test("says a parameter is fixed where its bounds are one number, and nothing else", () => {
    expect(fit({ reason: "bounds", value: 5, limit: 5 })).toBe(
      "MESSAGE | to keep it there: --fix one=5",
    );
    expect(fit({ reason: "bounds", value: 5, limit: 6 })).toBe("MESSAGE | HELP");
    expect(words({ reason: "bounds", names: ["a"] }, { command: "fit" })).toBe("MESSAGE | HELP");
  });

  test("calls rows as its file does", () => {
    const rows = (some: readonly number[], more: number) => `lines ${some.join("+")} (${more})`;
    expect(fit({ reason: "missing" }, { rows })).toBe(
      "column COLUMN has no value in lines 0+4 (3) | HELP",
    );
    // Without a file of its own a command counts from 1.
    expect(fit({ reason: "missing" })).toContain("in rows 1, 5 and 3 more");
    expect(fit({ reason: "missing", rows: [2], rowsMore: 0 })).toContain("in row 3 |");
    expect(fit({ reason: "missing", rows: [2], rowsMore: 1 })).toContain("in rows 3 and 1 more |");
  });

  test("leaves out rows of a prediction only where rows are known", () => {
    expect(fit({ reason: "prediction" })).toContain("or leave these rows out with --where");
    expect(words({ reason: "prediction", names: ["a"], values: [1] }, { command: "fit" })).toBe(
      "the prediction is not finite at a = 1 | start elsewhere, draw starts from a range, or bound the parameters",
    );
  });

  test.each([
    ["a word", "--where COLUMN='a word'", "--na 'a word'"],
    ["word", "--where COLUMN=word", "--na word"],
    // Its own quote ended the quotes too early.
    ["it's", String.raw`--where COLUMN='it'\''s'`, String.raw`--na 'it'\''s'`],
  ])("quotes %s where a shell would take it apart", (actual, where, na) => {
    expect(fit({ reason: "words", actual })).toContain(where);
    expect(fit({ reason: "word", actual })).toContain(na);
    const sheet = words({ reason: "sheet", names: [actual, "b"] }, { command: "fit" });
    expect(sheet).toContain(`${actual}, b: --sheet ${na.slice(5)}`);
  });

  test("tells numbers in other clothes by what is wrong with them", () => {
    for (const command of COMMANDS)
      expect(words({ ...FACTS, reason: "word", actual: "1,000" }, { command })).toContain(
        "write numbers as 1234.5",
      );
  });
});

test("an error is said once: its place and facts stay, and other words are not put over it", () => {
  const facts: ErrorFacts = { ...FACTS, reason: "missing" };
  const said = inCommandWords(error(facts), { command: "fit", rows: () => "lines 7" });
  expect(said).toMatchObject({
    ...{ code: "E-INPUT", source: "(source)", file: "file.scm", span: { start: 1, end: 3 }, facts },
  });
  expect(inCommandWords(said, { command: "search" })).toBe(said);
  // What has no reason is left as it is; what nobody has a help for has none.
  const plain = error({});
  expect(inCommandWords(plain)).toBe(plain);
  expect(inCommandWords(error({ reason: "busy" }, "")).help).toBe("");
  const bare = new NdvmError("E-INPUT", "MESSAGE", { facts: { reason: "twice" } });
  expect(inCommandWords(bare).help).toBeUndefined();
});

describe("a slip", () => {
  const ways: readonly (readonly [string, string | undefined])[] = [
    // A value without its own option.
    ["eval -e x --set x=1 y=2", `"y=2" belongs to no option: every value needs its own, --set y=2`],
    ["eval -e x --int n=1 m=2", `"m=2" belongs to no option: every value needs its own, --int m=2`],
    ["fit p.scm a=1", `"a=1" belongs to no option: every value needs its own, --param a=1`],
    ["fit p.scm --bound a=0.. b=1", `every value needs its own, --bound b=1`],
    ["eval -e x here=1.scm", undefined],
    // Blanks inside a value.
    ["eval -e x --set x = 1", "--set needs name=value without blanks: --set x=1"],
    ["eval -e x --set x= 1", "--set needs name=value without blanks: --set x=1"],
    ["eval -e x --set x =1", "--set needs name=value without blanks: --set x=1"],
    ["eval -e x --timeout 5 s", `"s" stands alone: leave out the blank, --timeout 5s`],
    ["eval -e x --timeout 1.5 MIN", `"MIN" stands alone: leave out the blank, --timeout 1.5MIN`],
    ["eval -e x --memory 64 MiB", `"MiB" stands alone: leave out the blank, --memory 64MiB`],
    ["fit p.scm --data d.csv --hold-out 20 %", `leave out the blank, --hold-out 20%`],
    ["eval -e x --timeout five s", undefined],
    // Hyphens.
    ["eval -e x -set x=1", "write --set, not -set"],
    ["eval -e x -timeout 5s", "write --timeout, not -timeout"],
    ["eval -e x --x=1", "there is no option --x: an input is set by --set x=1"],
    ["eval -e x -k=-0.5", "there is no option -k: an input is set by --set k=-0.5"],
    ["eval -e x --sett=1", "there is no option --sett: did you mean --set?"],
    ["search --data d --target y --seeed=1", "there is no option --seeed: did you mean --seed?"],
    ["search --data d --target y --zzz=1", undefined],
    ["eval -e --x=1", undefined],
    // Files where an option names them.
    ["search d.csv --target y", `"d.csv" belongs to no option: the table is named by --data d.csv`],
    ["search --data=d.csv --target y e.csv", undefined],
    [
      "search --data d.csv --target y --resume s.db",
      "--resume takes no file: name the study by --out s.db --resume",
    ],
    ["search --data d.csv --target y --cluster redis://h:1 --out s.db", undefined],
    ["fit p.scm --resume r.json extra", undefined],
    // What is no slip.
    ["eval -e x --set x=-1", undefined],
    ["eval p.scm --set x=-5", undefined],
    ["archive ls a=1", undefined],
    ["evla x=1 y=2", undefined],
  ];

  test.each(ways)("%s", async (line, meant) => {
    writeFile("here=1.scm", "1");
    const { code, stderr } = await ndvmHere(line.split(" "));
    const slip =
      /^error: .*(belongs to no option|without blanks|stands alone|write --|there is no option|takes no file).*$/m;
    const found = slip.exec(stderr)?.[0];
    if (meant === undefined) expect(found).toBeUndefined();
    else expect([found, code]).toEqual([expect.stringContaining(meant), 2]);
  });
});
