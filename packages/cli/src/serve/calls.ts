/**
 * The calls that a client can make, each a function from its fields to the fields of the answer.
 *
 * A service holds the machines and programs of one client. Programs are known by number, so that a
 * client can let them go (`release`) without waiting.
 */

import {
  type Domain,
  type ExportFormat,
  exportModel,
  type FitOptions,
  type FitResult,
  fit,
  fitMany,
  type LoadOptions,
  Machine,
  type MachineOptions,
  type Program,
} from "@ndvm/core";
import type { SearchOptions } from "@ndvm/search";
import type { Answer, CallContext } from "./call.js";
import { drawFit, drawSearch, type Fitted } from "./figures.js";
import { ArrayList, type Frame } from "./frames.js";
import { Runs } from "./runs.js";
import {
  exportShape,
  fitShape,
  loadShape,
  machineShape,
  type Shape,
  searchShape,
  shown,
} from "./shapes.js";
import {
  arrayOf,
  dataOf,
  errorJson,
  type Fields,
  field,
  isFields,
  mapFields,
  plain,
  plainNumberOf,
  refuse,
  unworded,
  unwordedFields,
} from "./values.js";

type Call = (fields: Fields, context: CallContext) => Answer | Promise<Answer>;

export class Service {
  readonly #machines = new Map<string, Machine>();
  readonly #programs = new Map<number, Program>();
  /** Results of fits, to draw them when the client asks for it. */
  readonly #fits = new Map<number, Fitted>();
  /** Programs and fits are counted together. */
  #nextNumber = 1;
  readonly #runs = new Runs((fields) => this.#program(fields));

  readonly #calls: ReadonlyMap<string, Call> = new Map<string, Call>([
    ["load", (fields) => this.#load(fields)],
    ["evaluate", (fields, context) => this.#runs.run("evaluate", fields, context)],
    ["gradient", (fields, context) => this.#runs.run("gradient", fields, context)],
    ["jacobian", (fields, context) => this.#runs.run("jacobian", fields, context)],
    ["fit", (fields, context) => this.#fit(fields, context)],
    ["fitMany", (fields, context) => this.#fitMany(fields, context)],
    ["export", (fields) => ({ fields: { text: exportText(fields) } })],
    ["search", runSearch],
    ["fitFigures", (fields) => this.#fitFigures(fields)],
    ["searchFigures", drawSearch],
  ]);

  answer(frame: Frame, context: CallContext): Answer | Promise<Answer> {
    const { header } = frame;
    this.release(field(header, "release"));
    const name = field(header, "call");
    const call = typeof name === "string" ? this.#calls.get(name) : undefined;
    if (call === undefined)
      throw refuse(
        `there is no call ${shown(name)}`,
        `calls are ${[...this.#calls.keys()].join(", ")}`,
      );
    return call(header, context);
  }

  /** Frees programs and fits that the client has no use for any more. */
  release(numbers: unknown): void {
    if (!Array.isArray(numbers)) return;
    for (const number of numbers) {
      this.#fits.delete(number as number);
      this.#programs.get(number as number)?.dispose();
      this.#programs.delete(number as number);
    }
  }

  dispose(): void {
    for (const machine of this.#machines.values()) machine.dispose();
    this.#machines.clear();
    this.#programs.clear();
    this.#fits.clear();
  }

  async #machine(given: unknown): Promise<Machine> {
    const options = unworded(given ?? {});
    machineShape(options, "machine");
    const { precision, memoryMax } = options as MachineOptions;
    const key = JSON.stringify([precision, memoryMax]);
    const known = this.#machines.get(key);
    if (known !== undefined) return known;
    const made = await Machine.create({
      ...(precision === undefined ? {} : { precision }),
      ...(memoryMax === undefined ? {} : { memoryMax }),
    });
    this.#machines.set(key, made);
    return made;
  }

  async #load(fields: Fields): Promise<Answer> {
    const machine = await this.#machine(field(fields, "machine"));
    const program = machine.load(textOf(fields, "source"), loadOptions(fields));
    const number = this.#nextNumber++;
    this.#programs.set(number, program);
    return { fields: { program: number, inputs: program.inputs } };
  }

  #program(fields: Fields): Program {
    const number = field(fields, "program");
    const program = this.#programs.get(number as number);
    if (program === undefined) throw refuse(`there is no program ${shown(number)}`);
    return program;
  }

  async #fit(fields: Fields, context: CallContext): Promise<Answer> {
    const program = this.#program(fields);
    const options = fitOptions(fields, context);
    const result = await fit(program, options);
    const list = new ArrayList();
    const predicted = predictionOf(result, options.data);
    const number = this.#nextNumber++;
    this.#fits.set(number, { result, options, program });
    return {
      fields: {
        fit: number,
        result: result.toJSON(),
        ...(predicted === undefined ? {} : { prediction: list.add(predicted) }),
      },
      arrays: list,
    };
  }

  async #fitFigures(fields: Fields): Promise<Answer> {
    const number = field(fields, "fit");
    const fitted = this.#fits.get(number as number);
    if (fitted === undefined) throw refuse(`there is no fit ${shown(number)}`);
    return { fields: { html: await drawFit(fitted) } };
  }

  async #fitMany(fields: Fields, context: CallContext): Promise<Answer> {
    const machine = await this.#machine(field(fields, "machine"));
    const sources = field(fields, "sources");
    if (!Array.isArray(sources)) throw refuse("fitMany takes a list of sources");
    const options = { ...fitOptions(fields, context), load: loadOptions(fields) };
    const found = await fitMany(machine, sources as string[], options);
    const results = found.map((one) =>
      one.status === "failed"
        ? { error: errorJson(one.error) }
        : { best: plain(one.result.best), stopped: one.result.stopped },
    );
    return { fields: { results } };
  }
}

function textOf(fields: Fields, name: string): string {
  const text = field(fields, name);
  if (typeof text !== "string") throw refuse(`${name} is not a text`);
  return text;
}

/** Columns have words of their own, and the JSON of a fit writes such numbers otherwise. */
const VERBATIM: ReadonlySet<string> = new Set(["data", "resume"]);

function optionsOf(fields: Fields, shape: Shape): Fields {
  const given = field(fields, "options") ?? {};
  if (!isFields(given)) throw refuse("options is not an object");
  const options = unwordedFields(given, VERBATIM);
  shape(options, "");
  return options;
}

function loadOptions(fields: Fields): LoadOptions {
  const given = field(fields, "load") ?? {};
  if (!isFields(given)) throw refuse("load is not an object");
  loadShape(given, "load");
  const { inputs, domain, file, language } = given as LoadOptions;
  return {
    ...(inputs === undefined ? {} : { inputs }),
    ...(domain === undefined ? {} : { domain: domain as Domain }),
    ...(file === undefined ? {} : { file }),
    ...(language === undefined ? {} : { language }),
  };
}

function fitOptions(fields: Fields, { arrays, signal, tell }: CallContext): FitOptions {
  const given = optionsOf(fields, fitShape);
  const { data, isProgressWanted, ...others } = given;
  const columns = mapFields(data ?? {}, "data", (one, name) => dataOf(one, name, arrays));
  const named = (key: "weights" | "sigma" | "trials") => {
    const shaped = arrayOf(field(given, key), arrays);
    return shaped === undefined ? {} : { [key]: shaped.numbers };
  };
  return {
    ...others,
    ...named("weights"),
    ...named("sigma"),
    ...named("trials"),
    data: columns,
    signal,
    ...(isProgressWanted === true
      ? { onProgress: (progress: unknown) => tell({ progress: plain(progress) }) }
      : {}),
  } as FitOptions;
}

/** What the fitted model says on its own rows; undefined where it predicts none. */
function predictionOf(result: FitResult, data: FitOptions["data"]): Float64Array | undefined {
  return result.mode === "residual" && data !== undefined ? result.predict(data).values : undefined;
}

function exportText(fields: Fields): string {
  const params = mapFields(field(fields, "params") ?? {}, "params", plainNumberOf);
  const options = optionsOf(fields, exportShape);
  return exportModel(
    { program: textOf(fields, "source"), params, load: loadOptions(fields) },
    textOf(fields, "format") as ExportFormat,
    options,
  );
}

async function runSearch(fields: Fields, context: CallContext): Promise<Answer> {
  const { search, evolve } = await import("@ndvm/search");
  const given = optionsOf(fields, searchShape);
  const { data, evolve: evolveOptions, ...others } = given;
  const columns = mapFields(data ?? {}, "data", (one, name) => dataOf(one, name, context.arrays));
  const options = {
    ...others,
    data: columns,
    signal: context.signal,
    ...(isFields(evolveOptions) ? { proposers: [evolve(evolveOptions)] } : {}),
  } as unknown as SearchOptions;
  let done: unknown;
  for await (const event of search(options)) {
    if (event.type === "done") done = event;
    else if (event.type !== "candidate") context.tell({ event: plain(event) });
  }
  return { fields: { done: plain(done) } };
}
