/**
 * Secrets out of texts: keys and passwords are replaced before a text is stored or printed.
 *
 * A secret is looked for in every spelling that it is likely to be echoed in: as it is, URL-encoded,
 * with JSON or HTML escapes for some or all of its characters (also escaped twice), and inside
 * base64. A text that hides it on purpose in another way (a cipher, one letter a line) gets through:
 * whoever can do that has the secret anyway.
 */

export const HIDDEN = "[secret]";

/** Shorter secrets are words of every text: replacing them would leave nothing to read. */
const LENGTH_MIN = 4;
/** Shorter pieces of base64 occur by chance. */
const BASE64_MIN = 8;

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
    const spellings = known.flatMap((secret) => [spelled(secret), ...insideBase64(secret)]);
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
  return [...secret].map(spelledCharacter).join("");
}

function spelledCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  const point = character.codePointAt(0) as number;
  const json = units.map((unit) => `\\\\{1,4}u${unit.toString(16).padStart(4, "0")}`).join("");
  const percent = [...Buffer.from(character)].map((byte) => `%(?:25){0,3}${hex(byte)}`).join("");
  const plus = character === " " ? "|\\+" : "";
  const html = `&#(?:0{0,6}${point}|x0{0,6}${point.toString(16)});`;
  return `(?:\\\\{0,4}${escaped(character)}|${json}|${percent}|\\\\{1,4}x${hex(point)}|${html}${plus})`;
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
    const either = piece
      .replaceAll("-", "(?:-|\\+|%2b)")
      .replaceAll("_", "(?:_|\\\\{0,4}\\u{2f}|%2f)");
    return [`[\\w+%]{0,2}${either}(?:[\\w+]{0,2}={0,2})`];
  });
}
