/**
 * Secrets out of texts: keys and passwords are replaced before a text is stored or printed.
 *
 * A secret is looked for in every spelling that it is likely to be echoed in (spelling.ts): as it is,
 * escaped, in hexadecimal digits, inside base64, broken over lines, and cut off at either end. Whoever
 * hides it on purpose finds another spelling: he has the secret anyway.
 */

import { bytesOf, type Forms, formsOf, lowerCase, type Traced } from "./spelling.js";

export const HIDDEN = "[secret]";

/** Shorter secrets are words of every text: replacing them would leave nothing to read. */
const LENGTH_MIN = 4;
/** Shorter pieces of base64 occur by chance: secrets of five letters and more have these. */
const BASE64_MIN = 6;
/** Of a longer secret each piece of this length and share is hidden: texts are cut off. */
const PIECE_MIN = 12;
const PIECE_SHARE = 0.6;

/** Names of a query's values that are secrets, and the length from which others may be. */
const SECRET_NAME = /key|token|secret|pass|pw|auth|sig|credential|code/i;
const VALUE_MIN = 16;

/** A secret in one kind of spelling. */
interface Needle {
  readonly form: keyof Forms;
  readonly text: string;
}

/** Places of a text. */
interface Range {
  readonly from: number;
  readonly to: number;
}

export class Redactor {
  readonly #needles: readonly Needle[];

  constructor(secrets: readonly (string | undefined)[]) {
    const known = [...new Set(secrets)].filter(
      (secret): secret is string => secret !== undefined && secret.length >= LENGTH_MIN,
    );
    this.#needles = known.flatMap(needlesOf);
  }

  /** A text for people, without secrets. */
  clean(text: string): string {
    let shown = "";
    let at = 0;
    for (const { from, to } of this.#find(text)) {
      shown += text.slice(at, from) + HIDDEN;
      at = to;
    }
    return hideCredentials(shown + text.slice(at));
  }

  /** Whether a secret that is known stands in a text. */
  finds(text: string): boolean {
    return this.#find(text).length > 0;
  }

  /** Where secrets stand, in order and apart. */
  #find(text: string): Range[] {
    if (this.#needles.length === 0) return [];
    const forms = formsOf(text);
    const found = this.#needles.flatMap((needle) => placesOf(needle, forms[needle.form]));
    return union(found);
  }
}

/**
 * A text for people, such as an error, without the passwords and keys of addresses. What has a
 * structure (JSON, CSV, a program) does not pass here: it would be torn.
 */
export function hideCredentials(text: string): string {
  return text
    .replace(/[^\s'"]+/g, (word) => (word.includes("@") ? withoutLogin(word) : word))
    .replace(/([?&])([^\s=&#?]{1,64})=([^\s&#'"]+)/g, (matched, mark, name) =>
      SECRET_NAME.test(name) ? `${mark}${name}=${HIDDEN}` : matched,
    );
}

/** What follows the protocol, or the user's name, up to the last @ is hidden. Paths are no logins. */
function withoutLogin(word: string): string {
  const end = word.lastIndexOf("@");
  const protocolEnd = word.search(/:[/\\]{2}/);
  const colon = protocolEnd < 0 ? word.indexOf(":") : protocolEnd;
  const isFile = protocolEnd < 0 && /[/\\]/.test(word.slice(0, Math.max(colon, 0)));
  const isBare = /^[/\\]{2}/.test(word);
  if (!isBare && (colon < 0 || colon > end || isFile)) return word;
  let start = isBare ? 0 : colon + 1;
  while (word[start] === "/" || word[start] === "\\") start += 1;
  const isPath = /^[^:/\\?#]*(?::\d+)?[/\\?#][^:]*$/.test(word.slice(start, end));
  return start >= end || isPath ? word : word.slice(0, start) + HIDDEN + word.slice(end);
}

/**
 * An address with one of these protocols ("http:"). A password with a slash in it makes the host end
 * too early and leaves its @ behind: such a text is no address.
 */
export function readAddress(text: string, protocols: readonly string[]): URL | undefined {
  const hasProtocol = protocols.some((one) => text.toLowerCase().startsWith(`${one}//`));
  if (!hasProtocol || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isTorn = [url.pathname, url.search, url.hash].some((part) => part.includes("@"));
  return isTorn || url.hostname === "" ? undefined : url;
}

/** An address as it may be stored and printed. Its query and its fragment may hold keys. */
export function shownAddress({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname.replace(/(?<!\/)\/+$/, "")}`;
}

/** What is secret in an address: its user's password, or name where there is none; its keys. */
export function secretsIn(address: URL): string[] {
  const values = [...address.searchParams]
    .filter(([name, value]) => isSecret(name, value))
    .map(([, value]) => value);
  const { username, password } = credentialsIn(address);
  // A token alone often stands where the user's name would.
  const login = password === "" ? [username] : [password, basic(username, password)];
  return [...login, ...values];
}

const isSecret = (name: string, value: string): boolean =>
  SECRET_NAME.test(name) || (value.length >= VALUE_MIN && !/version/i.test(name));

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

function needlesOf(secret: string): Needle[] {
  // What UTF-8 looks like to a reader of Latin-1, as headers are read; and a secret whose backslash
  // looks like the beginning of an escape, once it is escaped itself.
  const ways = [secret, bytesOf(secret), secret.replaceAll("\\", "")];
  const plain = ways.map((text) => formsOf(text).plain.text);
  const hex = Buffer.from(secret).toString("hex");
  return [
    needle("exact")(lowerCase(secret)),
    ...[...new Set(plain)].filter((text) => text.length >= LENGTH_MIN).map(needle("plain")),
    ...[hex].map(needle("hex")),
    ...insideBase64(secret).map(needle("base64")),
  ];
}

const needle =
  (form: keyof Forms) =>
  (text: string): Needle => ({ form, text });

/**
 * The secret inside a longer text that was encoded: base64 depends on where it begins, modulo three.
 * The characters at both ends that depend on the neighbours are left out.
 */
function insideBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    const piece = text.slice(start, end).toLowerCase();
    return piece.length < BASE64_MIN ? [] : [piece];
  });
}

/**
 * Where a secret, or a piece of it that is long enough, stands in a text. Each such piece holds the
 * secret's middle: that is looked for, and then what fits before and behind it.
 */
function placesOf({ form, text: secret }: Needle, { text, from, to }: Traced): Range[] {
  const { length } = secret;
  const least = Math.min(length, Math.max(PIECE_MIN, Math.ceil(PIECE_SHARE * length)));
  const middle = secret.slice(length - least, least);
  const places: Range[] = [];
  let at = text.indexOf(middle);
  while (at >= 0) {
    let start = at;
    for (let i = length - least; i > 0 && text[start - 1] === secret[i - 1]; i--) start -= 1;
    let end = at + middle.length;
    for (let i = least; i < length && text[end] === secret[i]; i++) end += 1;
    const isFound = end - start >= least;
    // Copies may overlap.
    at = text.indexOf(middle, at + 1);
    if (!isFound) continue;
    if (form === "base64") [start, end] = withNeighbours({ text, from, to }, start, end);
    const place = { from: from[start] as number, to: to[end - 1] as number };
    const before = places.at(-1);
    if (before === undefined || place.from > before.to) places.push(place);
    else places[places.length - 1] = { from: before.from, to: Math.max(before.to, place.to) };
  }
  return places;
}

/** The digits of base64 that hold some bits of the secret, and what fills up the last ones. */
function withNeighbours(
  { text, from, to }: Pick<Traced, "text" | "from" | "to">,
  start: number,
  end: number,
): [number, number] {
  const follows = (at: number, what: RegExp): boolean =>
    what.test(text[at] ?? "") && from[at] === to[at - 1];
  const isJoined = start > 0 && from[start] === to[start - 1];
  const first = isJoined && DIGIT.test(text[start - 1] as string) ? start - 1 : start;
  let last = follows(end, DIGIT) ? end + 1 : end;
  for (let i = 0; i < 2 && follows(last, /=/); i++) last += 1;
  return [first, last];
}

const DIGIT = /[a-z0-9+/]/;

function union(ranges: readonly Range[]): Range[] {
  const apart: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last === undefined || range.from >= last.to) apart.push(range);
    else apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return apart;
}
