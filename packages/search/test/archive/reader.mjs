/** Reads an archive and leaves: node reader.mjs FILE. Writes how many outcomes there are. */
import { openArchive } from "@ndvm/search";

const archive = openArchive(process.argv[2]);
const count = [...archive.outcomes()].length;
archive.close();
process.stdout.write(`${count}`);
