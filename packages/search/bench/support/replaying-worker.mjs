/**
 * A worker that computes nothing: it answers each epoch with what was recorded of it, after a pause in
 * which it sleeps. Whoever it works for is as busy as with real workers, and has a core for itself.
 */
import { readFileSync } from "node:fs";
import { deserialize } from "node:v8";
import { READY, servePort } from "../../../core/dist/workers/index.js";

const asleep = new Int32Array(new SharedArrayBuffer(4));

servePort((port) => {
  let recorded;
  let pause = 0;
  port.listen((message) => {
    if ("setting" in message) {
      pause = message.setting.pause;
      recorded = new Map(deserialize(readFileSync(message.setting.recorded)));
      // Each with bytes of its own: a view would send the whole file.
      for (const [key, epoch] of recorded)
        recorded.set(key, { ...epoch, numbers: epoch.numbers.slice() });
      port.post(READY);
      return;
    }
    const done = message.jobs.map(({ round, slot }) => {
      Atomics.wait(asleep, 0, 0, pause);
      return recorded.get(`${round} ${slot}`);
    });
    port.post(done);
  });
});
