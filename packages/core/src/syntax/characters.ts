/**
 * What each character may do in program text, as one table over ASCII and a function beyond it.
 *
 *   Constituent  part of a name or a number        Space      between tokens
 *   Delimiter    ( ) [ ] " ; |                     Forbidden  not inside a token: ' ` , # { } \
 *   Control      never occurs in UTF-8 program text: NUL, BEL, …, U+FFFD
 */

export enum Class {
  Constituent,
  Space,
  Delimiter,
  Forbidden,
  Control,
}

const asciiClasses = new Uint8Array(128).map((_, code) => {
  const text = String.fromCharCode(code);
  if (code === 9 || code === 10 || code === 12 || code === 13 || code === 32) return Class.Space;
  if (code < 32 || code === 127) return Class.Control;
  if ('()[]";|'.includes(text)) return Class.Delimiter;
  if ("'`,#{}\\".includes(text)) return Class.Forbidden;
  return Class.Constituent;
});

export function classOf(code: number): Class {
  return code < 128 ? (asciiClasses[code] as Class) : classBeyondAscii(code);
}

function classBeyondAscii(code: number): Class {
  if (code < 0xa0 || code === 0xfffd) return Class.Control;
  const isSpace =
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff;
  return isSpace ? Class.Space : Class.Constituent;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
