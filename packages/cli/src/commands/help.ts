/** What the help of several commands says. */

export const INPUTS_HELP = `
Inputs:
  The free names of a program are its inputs. All lanes share a value, or each has its own:
    --set a=1.5                  a number, shared
    --set t=0:10:0.1             start:stop:step, ends included: one lane per value
    --set t=0,1,5                one lane per value
    --set x=@data.csv:height     a column of a CSV, TSV or JSON table: one lane per row
    --set v='[1, 2, 3]'          a vector, shared
    --set A='[[1, 0], [0, 1]]'   a matrix, shared
    --set A=@matrix.csv          a whole CSV or JSON file: one vector or matrix, shared
    --int n=80                   a structural integer (a step count or size), shared
  A list, range or column gives each lane a value of its own; brackets and whole files are one vector
  or matrix. All lists, ranges and columns must have the same number of values.`;

export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;

/** Receives the exit code of the command that ran. */
export type Finish = (code: number) => void;
