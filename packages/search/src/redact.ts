/**
 * Secrets out of texts: keys and passwords are replaced before a text is stored or printed.
 *
 * A secret is looked for in every spelling that it is likely to be echoed in: as it is, URL-encoded,
 * with JSON or HTML escapes for some or all of its characters (also escaped twice), in hexadecimal
 * digits, inside base64, broken over lines, and cut off at its end. A text that hides it on purpose
 * in another way (a cipher, base64 of base64) gets through: whoever can do that has the secret anyway.
 */

export const HIDDEN = "[secret]";

/** Shorter secrets are words of every text: replacing them would leave nothing to read. */
const LENGTH_MIN = 4;
/** Shorter pieces of base64 occur by chance. */
const BASE64_MIN = 8;
/** Of a longer secret a beginning of this length and share is hidden, too: texts are cut off. */
const BEGINNING_MIN = 12;
const BEGINNING_SHARE = 0.6;
/** What a text that is broken over lines may hold between two characters, also when escaped. */
const GAP = "(?:\\s|\\\\{1,4}[nrt]){0,3}";

/** Names of a query's values that are secrets. */
const SECRET_NAME = /key|token|secret|pass|auth|sig|credential/i;

export class Redactor {
  readonly #pattern: RegExp | undefined;

  constructor(secrets: readonly (string | undefined)[]) {
    const known = [...new Set(secrets)].filter(
      (secret): secret is string => secret !== undefined && secret.length >= LENGTH_MIN,
    );
    // The longest first: a secret may begin with another one.
    known.sort((a, b) => b.length - a.length);
    const spellings = known.flatMap((secret) => [
      spelled(secret),
      inHex(secret),
      ...insideBase64(secret),
    ]);
    if (spellings.length > 0) this.#pattern = new RegExp(spellings.join("|"), "giu");
  }

  clean(text: string): string {
    const known = this.#pattern === undefined ? text : text.replace(this.#pattern, HIDDEN);
    return hideCredentials(known);
  }
}

/** Passwords and keys that stand in addresses: before the host, and in a query. */
export function hideCredentials(text: string): string {
  return (
    text
      .replace(/(:\/\/)[^\s/?#]*@/g, `$1${HIDDEN}@`)
      // A password with a slash in it, which should have been encoded. A port is no password.
      .replace(/(:\/\/)[^\s/?#:@]{0,300}:(?!\d+\/)[^\s'"]{0,300}@/g, `$1${HIDDEN}@`)
      .replace(/([?&])([^\s=&#?]{1,64})=([^\s&#'"]+)/g, (matched, mark, name) =>
        SECRET_NAME.test(name) ? `${mark}${name}=${HIDDEN}` : matched,
      )
  );
}

/** What is secret in an address: its user's password, or name where there is none; its keys. */
export function secretsIn(address: URL): string[] {
  const values = [...address.searchParams]
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value);
  const { username, password } = credentialsIn(address);
  // A token alone often stands where the user's name would.
  const login = password === "" ? [username] : [password, basic(username, password)];
  return [...login, ...values];
}

export function credentialsIn(address: URL): { username: string; password: string } {
  return { username: decoded(address.username), password: decoded(address.password) };
}

/** The base64 of user:password, as HTTP sends it. */
export function basic(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A pattern for a secret each of whose characters may be escaped in its own way. */
function spelled(secret: string): string {
  const characters = [...secret].map(spelledCharacter);
  const length = Math.max(BEGINNING_MIN, Math.ceil(BEGINNING_SHARE * characters.length));
  const beginning = characters.slice(0, length).join(GAP);
  const rest = characters.slice(length);
  const open = rest.map((character) => `(?:${GAP}${character}`).join("");
  return beginning + open + ")?".repeat(rest.length);
}

/** The bytes of a secret as digits, as dumps write them. */
function inHex(secret: string): string {
  return [...Buffer.from(secret)].map((byte) => hex(byte)).join("[\\s:]?");
}

function spelledCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  const point = character.codePointAt(0) as number;
  const json = units.map((unit) => `\\\\{1,4}u${unit.toString(16).padStart(4, "0")}`).join("");
  const percent = [...Buffer.from(character)].map((byte) => `%(?:25){0,3}${hex(byte)}`).join("");
  const plus = character === " " ? "|\\+" : "";
  const html = `&#(?:0{0,6}${point}|x0{0,6}${point.toString(16)});`;
  // What UTF-8 looks like to a reader of Latin-1, as headers are read.
  const latin =
    point < 128
      ? ""
      : `|${[...Buffer.from(character, "utf8").toString("latin1")].map(escaped).join("")}`;
  const braces = `\\\\{1,4}u\\{0{0,4}${point.toString(16)}\\}`;
  const codes = `\\\\{1,4}(?:x${hex(point)}|0{0,2}${point.toString(8)})`;
  const ways = [`\\\\{0,4}${escaped(character)}`, json, braces, percent, codes, html];
  return `(?:${ways.join("|")}${plus}${latin})`;
}

const hex = (value: number): string => value.toString(16).padStart(2, "0");

function escaped(character: string): string {
  const point = character.codePointAt(0) as number;
  return /\w/.test(character) ? character : `\\u{${point.toString(16)}}`;
}

/**
 * The secret inside a longer text that was encoded: base64 depends on where it begins, modulo three.
 * The characters at both ends that depend on the neighbours are left out.
 */
function insideBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    const piece = text.slice(start, end);
    if (piece.length < BASE64_MIN) return [];
    const either = [...piece].map(spelledDigit).join(GAP);
    return [`[\\w+%]{0,2}${either}(?:[\\w+]{0,2}={0,2})`];
  });
}

/** A digit of base64 in either of its alphabets. */
function spelledDigit(digit: string): string {
  if (digit === "-") return "(?:-|\\+|%2b)";
  return digit === "_" ? "(?:_|\\\\{0,4}\\u{2f}|%2f)" : digit;
}
