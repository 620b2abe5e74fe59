/**
 * The clients of the machine: what turns a text into an image. This is the one file of the machine
 * that knows which languages there are.
 */

import { assemble } from "../bytecode/assemble.js";
import { encodeBytecode } from "../bytecode/encode.js";
import { BytecodeListing } from "../bytecode/listing.js";
import { type EncodeOptions, encode } from "../program/encode.js";
import type { Image, Listing } from "../program/listing.js";
import { SchemeListing } from "../program/scheme-listing.js";
import { expand } from "../syntax/expand.js";
import { read } from "../syntax/read.js";
import { badOption } from "./options.js";
import type { Language, LoadOptions } from "./types.js";

interface Loaded {
  readonly listing: Listing;
  readonly image: Image;
}

export function loadText(source: string, options: LoadOptions, encoding: EncodeOptions): Loaded {
  if (checkLanguage(options.language) === "bytecode") {
    const bytecode = assemble(source, options);
    return { listing: new BytecodeListing(bytecode), image: encodeBytecode(bytecode, encoding) };
  }
  const expansion = expand(read(source), { inputs: options.inputs });
  return { listing: new SchemeListing(expansion, source), image: encode(expansion, encoding) };
}

/** What a text says about itself, without an image. */
export function listText(source: string, options: LoadOptions): Listing {
  if (checkLanguage(options.language) === "bytecode")
    return new BytecodeListing(assemble(source, options));
  return new SchemeListing(expand(read(source), { inputs: options.inputs }), source);
}

function checkLanguage(language: Language = "scheme"): Language {
  if (language === "scheme" || language === "bytecode") return language;
  throw badOption("language", '"scheme" or "bytecode"', language);
}
