/** XML as events: all of a long text, whatever falls on the edge of two pieces. */

import { expect, test } from "vitest";
import { readXml } from "../src/xml.js";

test("a text of several pieces is read to its end, letters of several bytes at every place", () => {
  for (const shift of [0, 1, 2, 3]) {
    const cells = Array.from({ length: 9000 }, (_, i) => `é€😀${i}`);
    const body = cells.map((text, i) => `<s:c n="${i}" r:k="a${i}">${text}</s:c>`).join("");
    const xml = `<?xml version="1.0"?><s:row>${" ".repeat(shift)}${body}<![CDATA[<end>]]></s:row>`;
    const seen = { names: [] as string[], places: [] as string[], texts: "", closed: 0 };
    readXml(new TextEncoder().encode(xml), {
      open(element, attribute) {
        if (element !== "c") return;
        seen.names.push(String(attribute("n")));
        seen.places.push(String(attribute("k")));
      },
      text(text) {
        seen.texts += text;
      },
      close(element) {
        if (element === "c") seen.closed += 1;
      },
    });
    expect(seen.names).toEqual(cells.map((_, i) => String(i)));
    expect(seen.places).toEqual(cells.map((_, i) => `a${i}`));
    expect(seen.texts).toBe(`${" ".repeat(shift)}${cells.join("")}<end>`);
    expect(seen.closed).toBe(cells.length);
  }
});

test("a text that is broken, cut off or no UTF-8 is refused", () => {
  const read = (bytes: Uint8Array) => () => readXml(bytes, { open() {} });
  const encoder = new TextEncoder();
  expect(read(encoder.encode("<a><b></a>"))).toThrow();
  expect(read(encoder.encode("<a><b></b>"))).toThrow();
  expect(read(Uint8Array.of(0x3c, 0x61, 0x3e, 0xff))).toThrow();
  expect(read(Uint8Array.of(0x3c, 0x61, 0x2f, 0x3e, 0xe2, 0x82))).toThrow();
});

test("elements inside one another without an end are refused: the parser keeps all that are open", () => {
  const read = (levels: number) => () =>
    readXml(new TextEncoder().encode("<a>".repeat(levels) + "</a>".repeat(levels)), { open() {} });
  expect(read(100)).not.toThrow();
  expect(read(101)).toThrow("its XML has more than 100 elements inside one another");
  const many = `<s>${"<row><c/></row>".repeat(1000)}</s>`;
  expect(() => readXml(new TextEncoder().encode(many), { open() {} })).not.toThrow();
});
