/** What a command said, without what differs from run to run: times, versions, folders, last digits. */

import { folder, type Outcome } from "./run.js";

/** Numbers to six digits, so that an optimiser may take other steps to the same place. */
const rounded = (text: string): string =>
  text.replace(/-?\d+\.\d{3,}(e[+-]?\d+)?|-?\d+(\.\d+)?e-\d+/g, (number) => {
    const value = Number(number);
    return Math.abs(value) < 1e-9 ? "0" : String(Number(value.toPrecision(5)));
  });

const still = (text: string): string =>
  rounded(
    text
      .replaceAll(folder, "FOLDER")
      .replace(/\d+(\.\d+)?(e-?\d+)? (ns|µs|ms|s)\b/g, "TIME")
      .replace(/[\d,]+ evaluations/g, "N evaluations")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "MOMENT")
      .replace(/ndvm \d+\.\d+\.\d+|Node \d+[\d.]*|v\d+\.\d+\.\d+/g, "VERSION")
      .replace(/[\d,]+\/s/g, "RATE")
      // Counters of the machine: what it holds is its own business.
      .replace(/"stats":\{[^}]*\}/g, '"stats":"N"'),
  )
    .split("\n")
    .map((line) => line.trimEnd())
    // A search tells how it gets on every two seconds.
    .filter((line) => !/^TIME: .* candidates/.test(line))
    .join("\n");

/** Events of a search come in an order, but how many tell of progress is the clock's. */
const withoutProgress = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !line.startsWith('{"type":"progress"'))
    .map((line) =>
      line.replace(/"(seconds|\w*[mM]illiseconds|evaluations|rounds)":[\d.e-]+/g, '"$1":"N"'),
    )
    .join("\n");

export const said = ({ code, stdout, stderr }: Outcome): string =>
  still(`exit ${code}\n${withoutProgress(stdout)}\n--- stderr\n${stderr}`);
