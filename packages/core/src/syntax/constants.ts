/** Numbers with a name. */
export const constants: ReadonlyMap<string, number> = new Map([["pi", Math.PI]]);
