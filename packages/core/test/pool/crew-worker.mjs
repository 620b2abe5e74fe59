/**
 * A worker that does as its first message says, and later ones.
 */
import { servePort } from "../../dist/workers/index.js";

servePort((port) => {
  let first;
  port.listen((message) => {
    if (message === "die") process.exit(3);
    if (message === "throw")
      throw Object.assign(new Error("a bad day"), {
        code: "E-MEMORY",
        facts: { reason: "room", limit: 3 },
      });
    if (message.startsWith("exit ")) process.exit(Number(message.slice(5)));
    if (message === "who") port.post(first);
    if (first !== undefined) return;
    first = message;
    if (message === "be strange") port.post("hello");
    else if (message !== "be silent") port.post("ready");
  });
});
