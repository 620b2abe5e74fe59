/**
 * `search`: co-search as an async iterable of events.
 */

import { checkBudget } from "./engine/budget.js";
import { Engine } from "./engine/engine.js";
import { InlineRunner } from "./pool/inline.js";
import { makeStudy, refuse } from "./study.js";
import type { SearchDone, SearchEvent, SearchOptions } from "./types.js";

/**
 * Searches. Nothing happens before someone iterates. Leaving the loop ends the search; what is in
 * the archive stays.
 */
export function search(options: SearchOptions): AsyncGenerator<SearchEvent, SearchDone> {
  const study = makeStudy(options);
  const budget = checkBudget(options.budget);
  const { proposers } = options;
  if (proposers === undefined || proposers.length === 0)
    throw refuse("a search needs a proposer", "give proposers: [replay(programs)]");
  const engine = new Engine({
    study,
    budget,
    proposers,
    journal: undefined,
    resumption: undefined,
    signal: options.signal,
    startRunner: (events) => InlineRunner.create(study, events),
  });
  return listen(engine);
}

async function* listen(engine: Engine): AsyncGenerator<SearchEvent, SearchDone> {
  const running = engine.run();
  let isOver = false;
  try {
    for (;;) {
      const event = await engine.queue.next();
      if (event === undefined) break;
      if (event.type === "done") {
        isOver = true;
        yield event;
        return event;
      }
      yield event;
    }
    throw new Error("a search ends with an event that says so");
  } finally {
    if (!isOver) engine.end("aborted");
    await running;
  }
}
