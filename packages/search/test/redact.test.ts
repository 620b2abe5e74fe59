/**
 * Secrets are found in every spelling that an endpoint is likely to echo them in. The seed is new in
 * every run and printed; `SEED=… npx vitest run redact` runs the same again.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  basic,
  HIDDEN,
  hideCredentials,
  Redactor,
  readAddress,
  secretsIn,
  shownAddress,
} from "../src/redact.js";

const { SEED, REDACT_RUNS } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
const numRuns = Number(REDACT_RUNS ?? 300);
console.info(`redact: SEED=${seed}`);

const KEY = 'sk-Ab/12+"q=é';
const { clean } = { clean: (text: string) => new Redactor([KEY]).clean(text) };

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
const units = (character: string): number[] =>
  Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));

/** Ways to write one character. */
const SPELLINGS: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join(""),
  (character) =>
    [...Buffer.from(character)].map((byte) => `%${hex(byte, 2).toUpperCase()}`).join(""),
  (character) =>
    units(character)
      .map((unit) => `\\u${hex(unit, 4)}`)
      .join(""),
  (character) =>
    units(character)
      .map((unit) => `\\\\u${hex(unit, 4).toUpperCase()}`)
      .join(""),
  (character) => `&#${character.codePointAt(0)};`,
  (character) => `&#x${hex(character.codePointAt(0) as number, 4)};`,
  (character) => (/[/"\\]/.test(character) ? `\\${character}` : character),
];

const broken = (text: string): string => text.replace(/.{6}/g, "$&\n");

describe("a key is replaced", () => {
  test("also where a text was cut off inside it", () => {
    const key = "sk-proj-0123456789abcdefghijklmn";
    for (let length = 20; length <= key.length; length++) {
      const shown = new Redactor([key]).clean(`bad key ${key.slice(0, length)}`);
      expect(shown).toBe(`bad key ${HIDDEN}`);
    }
    expect(new Redactor([key]).clean("sk-proj-01234")).toBe("sk-proj-01234");
  });

  test.each([
    ["as it is", KEY],
    ["URL-encoded", encodeURIComponent(KEY)],
    ["URL-encoded twice", encodeURIComponent(encodeURIComponent(KEY))],
    ["in JSON", JSON.stringify(KEY).slice(1, -1)],
    ["in JSON inside JSON", JSON.stringify(JSON.stringify(KEY)).slice(3, -3)],
    ["in capitals", KEY.toUpperCase()],
    ["in base64", Buffer.from(KEY).toString("base64")],
    ["in base64 of a header", Buffer.from(`Authorization: Bearer ${KEY}`).toString("base64")],
    ["in base64url behind one letter", Buffer.from(`x${KEY}`).toString("base64url")],
    ["in base64 behind two letters", Buffer.from(`xy${KEY}`).toString("base64")],
    ["in base64 that is broken over lines", broken(Buffer.from(KEY).toString("base64"))],
    ["broken over lines", broken(KEY)],
    ["broken over lines inside JSON", broken(KEY).replaceAll("\n", "\\n")],
    ["in hexadecimal digits", Buffer.from(KEY).toString("hex")],
    [
      "in hexadecimal digits of a dump",
      Buffer.from(KEY)
        .toString("hex")
        .replace(/..(?!$)/g, "$& "),
    ],
    ["as Latin-1", Buffer.from(KEY).toString("latin1")],
    ["in braces", [...KEY].map((c) => `\\u{${c.codePointAt(0)?.toString(16)}}`).join("")],
    ["in octal", [...KEY].map((c) => `\\${c.codePointAt(0)?.toString(8)}`).join("")],
  ])("%s", (_, text) => {
    const shown = clean(`they sent "${text}" to us`);
    expect(shown).toContain(HIDDEN);
    expect(shown).toMatch(/^they sent "/);
    expect(shown).toMatch(/" to us$/);
    expect(shown).not.toContain(text.slice(-10));
  });

  test.each(["\u007f", "\u0080", "\u0081", "ÿ", "\u{1f600}"])(
    "read as Latin-1 where it has the character %j",
    (character) => {
      const secret = `topsecret${character}and more`;
      const shown = new Redactor([secret]).clean(Buffer.from(secret).toString("latin1"));
      expect(shown).toBe(HIDDEN);
    },
  );

  test.each([9, 10, 11, 12, 15])(
    "of %i characters inside base64, wherever it begins and whatever follows",
    (length) => {
      const secret = "S3cr3t>Passw0rd?".slice(0, length);
      for (const before of ["", "a", "ab", "abc"])
        for (const after of ["", "x", "xy", "xyz"])
          for (const encoding of ["base64", "base64url"] as const) {
            const text = Buffer.from(before + secret + after).toString(encoding);
            const shown = new Redactor([secret]).clean(text);
            expect(shown, text).toContain(HIDDEN);
            // What is left belongs to the neighbours: three letters are four digits, and padding.
            expect(shown.length - HIDDEN.length, text).toBeLessThanOrEqual(10);
          }
    },
  );

  test("with each character spelled in its own way, anywhere in a text", () => {
    // Blanks, plus signs and what reads as an escape do not count as letters of a secret; a
    // backslash before a digit is read as either of two escapes.
    const letters = (secret: string) => secret.replace(/\\|%[\da-f]{2}|[\s+]/gi, "");
    const secrets = fc
      .string({ minLength: 6, maxLength: 40, unit: "grapheme-ascii" })
      .filter((secret) => letters(secret).length >= 4 && !/\\[0-7nrtux]/i.test(secret));
    const ways = fc.array(fc.nat(SPELLINGS.length - 1), { minLength: 40, maxLength: 40 });
    const texts = fc.string({ unit: "grapheme", maxLength: 60 });
    const property = fc.property(secrets, ways, texts, texts, (secret, how, before, after) => {
      const written = [...secret].map((character, at) => SPELLINGS[how[at] as number]?.(character));
      const shown = new Redactor([secret]).clean(`${before} ${written.join("")} ${after}`);
      expect(shown).toContain(HIDDEN);
      if (!before.includes(secret) && !after.includes(secret)) expect(shown).not.toContain(secret);
    });
    fc.assert(property, { seed, numRuns });
  });

  const LONG = "sk-VerySecretKey0123456789abcd";
  const bytes = [...Buffer.from(LONG)].map((byte) => byte.toString(16));

  test.each([
    ["with an escape of Scheme's symbols", LONG.replace("V", "\\x56;")],
    ["with an escape of C", LONG.replace("V", "\\x56")],
    ["with a line continued inside a symbol", LONG.replace("V", "V\\\n         ")],
    [
      "as bytes of a list",
      bytes
        .map((byte) => `0x${byte}`)
        .join(", ")
        .slice(2),
    ],
    ["as bytes with hyphens", bytes.join("-")],
    ["in hexadecimal digits that are cut off", bytes.join("").slice(0, -4)],
    ["in base64 that is cut off", Buffer.from(LONG).toString("base64").slice(0, -5)],
    ["in base64 that begins late", Buffer.from(LONG).toString("base64").slice(5)],
    ["without its first letters", LONG.slice(3)],
    ["without its first and its last letters", LONG.slice(2, -3)],
  ])("%s", (_, text) => {
    expect(new Redactor([LONG]).clean(`they sent "${text}" to us`)).toBe(
      `they sent "${HIDDEN}" to us`,
    );
  });

  test("with named characters of HTML, also escaped twice", () => {
    const key = "a&b<c>d\"e'f/g+h";
    const text = "a&amp;b&lt;c&gt;d&quot;e&apos;f&sol;g&plus;h";
    expect(new Redactor([key]).clean(text)).toBe(HIDDEN);
    expect(new Redactor([key]).clean(text.replaceAll("&", "&amp;"))).toBe(HIDDEN);
  });

  test("of five letters inside base64", () => {
    for (const before of ["", "a", "Bearer "]) {
      const text = Buffer.from(`${before}abcde`).toString("base64");
      expect(new Redactor(["abcde"]).clean(text)).toContain(HIDDEN);
    }
  });

  test.each(["\\n\\r\\t", "%41%42", "+ + +"])(
    "as it is where it looks like escapes or blanks: %j",
    (secret) => {
      expect(new Redactor([secret]).clean(`bad key ${secret}!`)).toBe(`bad key ${HIDDEN}!`);
    },
  );

  test("also where another secret begins like it", () => {
    expect(new Redactor(["abcd", "abcdefgh"]).clean("abcdefgh abcd")).toBe(`${HIDDEN} ${HIDDEN}`);
  });
});

describe("other texts", () => {
  test.each(["", "(* a (exp (* b x)))", "http://localhost:8080/v1?api-version=1", "a@b.c"])(
    "stay as they are: %s",
    (text) => {
      expect(clean(text)).toBe(text);
    },
  );

  test("are not torn apart by a secret of two letters", () => {
    expect(new Redactor(["ab", undefined, ""]).clean("about a cab")).toBe("about a cab");
  });

  test("of any kind take time in proportion to their length", () => {
    // A pattern that goes back and forth would not come to an end here.
    for (const piece of ["\\", "%25", "&#0", "://", "://x:", "?a", "sk-", "A"]) {
      expect(clean(piece.repeat(300_000)).length).toBeGreaterThan(0);
    }
  });
});

describe("addresses", () => {
  test.each([
    ["http://me:pass@host/v1", `http://${HIDDEN}@host/v1`],
    ["see https://token@host:1/x now", `see https://${HIDDEN}@host:1/x now`],
    ["http://me:p@ss@host/", `http://${HIDDEN}@host/`],
    ["ftp://me:a/b@host/v1", `ftp://${HIDDEN}@host/v1`],
    ["http://host:80/a@b", "http://host:80/a@b"],
    ["http://h/v1?api_key=abc&v=2", `http://h/v1?api_key=${HIDDEN}&v=2`],
    ["http://h/v1?v=2&Access-Token=abc#x", `http://h/v1?v=2&Access-Token=${HIDDEN}#x`],
    ["--base-url 'http://me:pass@host'", `--base-url 'http://${HIDDEN}@host'`],
    ["http:me:pass@host/v1", `http:${HIDDEN}@host/v1`],
    ["http:/me:pass@host/v1", `http:/${HIDDEN}@host/v1`],
    ["http:\\\\me:pass@host/v1", `http:\\\\${HIDDEN}@host/v1`],
    ["//me:pass@host/v1", `//${HIDDEN}@host/v1`],
    ["me:pass@host/v1", `me:${HIDDEN}@host/v1`],
    ["x=/a/b:http://me:pass@host", `x=/a/b:http://${HIDDEN}@host`],
    ["C:\\Users\\me@host\\a.db", "C:\\Users\\me@host\\a.db"],
    ["/runs/12:30@host/a.db", "/runs/12:30@host/a.db"],
    ["a@b:c", "a@b:c"],
    ["http://a/,http://me:pass@host", `http://${HIDDEN}@host`],
  ])("%s", (text, shown) => {
    expect(hideCredentials(text)).toBe(shown);
  });

  test.each([
    "http://me:1234/secret@host/v1",
    "http://secret/more@host/v1",
    `http://me:${"z".repeat(400)}/secret@host/v1`,
    "http://me:12?secret@host/v1",
    "http://me:12#secret@host/v1",
    "me:secret@host/v1",
    "http:me:secret@host/v1",
    "http:/me:secret@host/v1",
    "http:\\\\me:secret@host/v1",
    "//me:secret@host/v1",
    "ftp://me:secret@host/v1",
    " http://host/v1",
  ])("are none where a password may stand in the path: %s", (text) => {
    expect(readAddress(text, ["http:", "https:"])).toBeUndefined();
  });

  test("are shown as protocol, host, port and path", () => {
    const url = readAddress("HTTP://me:a\tb@Host:81/v1//?code=c&token=t#key", ["http:"]) as URL;
    expect(shownAddress(url)).toBe("http://host:81/v1");
    expect(shownAddress(new URL("redis://:p@h"))).toBe("redis://h");
  });

  test("hold secrets in their queries, but for versions and short words", () => {
    const query = "api-version=2024-02-15-preview&code=c1&sort=up&id=0123456789abcdef";
    expect(secretsIn(new URL(`http://h/v1?${query}`))).toEqual(["", "c1", "0123456789abcdef"]);
  });

  test("hold passwords, tokens for names, and keys", () => {
    expect(secretsIn(new URL("http://me:p%40ss@h/v1?key=k1&v=2"))).toEqual([
      "p@ss",
      basic("me", "p@ss"),
      "k1",
    ]);
    expect(secretsIn(new URL("http://token@h/"))).toEqual(["token"]);
    expect(basic("me", "p@ss")).toBe("bWU6cEBzcw==");
  });
});
