/**
 * A secret in other spellings: texts are brought to one form, in which everything that a secret can be
 * written as looks the same, and each of whose characters knows the place that it came from.
 *
 *   text → bytes of UTF-8 → escapes decoded, also those of escapes → without what may stand between
 *
 * But for the exact form, a form's characters are bytes (0 to 255). No form has capitals of ASCII.
 */

/** A text that was rewritten. Character i stands for the original's places from[i] to to[i]. */
export class Traced {
  private constructor(
    readonly text: string,
    readonly from: readonly number[],
    readonly to: readonly number[],
  ) {}

  static of(text: string): Traced {
    const from = Array.from({ length: text.length }, (_, i) => i);
    return new Traced(
      text,
      from,
      from.map((at) => at + 1),
    );
  }

  /** What is written for a match comes from all of its places. */
  rewrite(pattern: RegExp, write: (match: RegExpExecArray) => string): Traced {
    const from: number[] = [];
    const to: number[] = [];
    let text = "";
    let at = 0;
    const keepUntil = (end: number): void => {
      text += this.text.slice(at, end);
      for (; at < end; at++) {
        from.push(this.from[at] as number);
        to.push(this.to[at] as number);
      }
    };
    for (const match of this.text.matchAll(pattern)) {
      keepUntil(match.index);
      const written = write(match);
      const end = at + match[0].length;
      for (let i = 0; i < written.length; i++) {
        from.push(this.from[at] as number);
        to.push(this.to[end - 1] as number);
      }
      text += written;
      at = end;
    }
    keepUntil(this.text.length);
    return new Traced(text, from, to);
  }

  without(pattern: RegExp): Traced {
    return this.rewrite(pattern, () => "");
  }

  inLowerCase(): Traced {
    return new Traced(lowerCase(this.text), this.from, this.to);
  }
}

/** The letters of ASCII only: others may change their number of characters. */
export const lowerCase = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** A text in the forms in which spellings are looked for. */
export interface Forms {
  /** As it is, but for capitals. */
  readonly exact: Traced;
  readonly plain: Traced;
  readonly hex: Traced;
  readonly base64: Traced;
}

/** A character of UTF-8 that is not ASCII, as bytes. */
const LONG_CHARACTER =
  /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

/** Blanks of every width, and what nobody sees between letters. */
const INVISIBLE = /^[\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;

const isInvisible = (bytes: string): boolean =>
  INVISIBLE.test(Buffer.from(bytes, "latin1").toString("utf8"));

/** Escapes of escapes of escapes: nobody echoes a text through more programs than that. */
const PASSES = 4;

export function formsOf(text: string): Forms {
  const exact = Traced.of(text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is not ASCII.
  let form = exact.rewrite(/[^\x00-\x7f]/gu, ([character]) => bytesOf(character));
  for (let pass = 0; pass < PASSES; pass++) {
    const before = form.text;
    form = form.rewrite(ESCAPE, decoded);
    if (form.text === before) break;
  }
  form = form
    .inLowerCase()
    .rewrite(LONG_CHARACTER, ([bytes]) => (isInvisible(bytes) ? " " : bytes))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a text of UTF-16 has these between letters.
    .rewrite(/[\x00-\x1f\x7f]/g, () => " ");
  return {
    exact: exact.inLowerCase(),
    // A form of the web writes a blank as a plus.
    plain: form.without(/[\s\\+]+/g),
    hex: form.without(/0x|[\s\\,:;_-]+/g),
    base64: form.without(/[\s\\]+/g).rewrite(/[-_]/g, ([mark]) => (mark === "-" ? "+" : "/")),
  };
}

/** The bytes of UTF-8, each as a character. */
export const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** HTML's names of the characters of ASCII that have one. */
const NAMED: ReadonlyMap<string, string> = new Map(
  (
    "excl ! quot \" num # dollar $ percnt % amp & apos ' lpar ( rpar ) ast * plus + comma , " +
    "period . sol / colon : semi ; lt < equals = gt > quest ? commat @ lsqb [ lbrack [ bsol \\ " +
    "rsqb ] rbrack ] hat ^ lowbar _ grave ` lcub { lbrace { verbar | vert | rcub } rbrace }"
  )
    .split(" ")
    .flatMap((name, i, all) => (i % 2 === 0 ? [[name, all[i + 1] as string] as const] : [])),
);

/** Ways to write one character; the names of the groups say how `decoded` reads them. */
const ESCAPE = new RegExp(
  [
    "\\\\{1,4}u\\{0{0,8}(?<braced>[0-9a-f]{1,6})\\}",
    "\\\\{1,4}u(?<high>d[89ab][0-9a-f]{2})\\\\{1,4}u(?<low>d[c-f][0-9a-f]{2})",
    "\\\\{1,4}u(?<unit>[0-9a-f]{4})",
    // Scheme's, in |names|, and that of C.
    "\\\\{1,4}x0{0,8}(?<closed>[0-9a-f]{1,6});",
    "\\\\{1,4}x(?<short>[0-9a-f]{2})",
    "\\\\{1,4}(?<octal>[0-7]{1,3})",
    "\\\\{1,4}(?<blank>[nrt])",
    "%(?:25){0,3}(?<byte>[0-9a-f]{2})",
    "&(?:amp;){0,3}#0{0,8}(?<decimal>[0-9]{1,7});",
    "&(?:amp;){0,3}#x0{0,8}(?<entity>[0-9a-f]{1,6});",
    "&(?:amp;){0,3}(?<named>[a-z]{2,7});",
  ].join("|"),
  "gi",
);

function decoded(match: RegExpExecArray): string {
  const { braced, high, low, unit, closed, short, octal, blank, byte, decimal, entity, named } =
    match.groups as Partial<Record<string, string>>;
  if (blank !== undefined) return " ";
  if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16));
  if (named !== undefined) return NAMED.get(named.toLowerCase()) ?? match[0];
  if (high !== undefined && low !== undefined) {
    return bytesOf(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)));
  }
  const hex = braced ?? unit ?? closed ?? short ?? entity;
  const point =
    hex !== undefined
      ? Number.parseInt(hex, 16)
      : Number.parseInt(octal ?? decimal ?? "", octal === undefined ? 10 : 8);
  return point <= 0x10ffff ? bytesOf(String.fromCodePoint(point)) : match[0];
}
