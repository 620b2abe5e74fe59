/** XML as events, by saxes: elements without their prefixes, and the text between them. */

import { own } from "@ndvm/core";
import { SaxesParser } from "saxes";

export interface XmlEvents {
  open(element: string, attribute: (name: string) => string | undefined): void;
  text?(text: string): void;
  close?(element: string): void;
}

const PIECE_BYTES = 2 ** 16;
/** Most elements inside one another; those of a workbook are ten deep. The parser keeps all that are open. */
const NESTING_MOST = 100;

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Attributes by their names without prefixes. */
function lookUp(
  attributes: Readonly<Record<string, string>>,
): (name: string) => string | undefined {
  return (name) => {
    const found = Object.keys(attributes).find((key) => localName(key) === name);
    return own(attributes, found ?? name);
  };
}

export function readXml(bytes: Uint8Array, events: XmlEvents): void {
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  let nesting = 0;
  parser.on("opentag", ({ name, attributes }) => {
    nesting += 1;
    if (nesting > NESTING_MOST)
      throw new Error(`its XML has more than ${NESTING_MOST} elements inside one another`);
    events.open(localName(name), lookUp(attributes));
  });
  parser.on("text", (text) => events.text?.(text));
  parser.on("cdata", (text) => events.text?.(text));
  parser.on("closetag", ({ name }) => {
    nesting -= 1;
    events.close?.(localName(name));
  });
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    parser.write(decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true }));
  }
  parser.write(decoder.decode()).close();
}
