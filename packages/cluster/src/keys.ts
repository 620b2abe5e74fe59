/**
 * The keys of a namespace in Redis.
 *
 *   NS:studies              hash: digest → who coordinates it, with which version
 *   NS:workers              hash: worker → host, process, what it has done, when it was last seen
 *   NS:fence                counter: each run of a coordinator has a number of its own
 *   NS:study:DIGEST         options and table of a study, by content
 *   NS:lock:DIGEST          the run that coordinates it; goes if nobody renews it
 *   NS:known:DIGEST:FENCE   hash: version → what the study knew then (knowledge.ts)
 *   NS:results:DIGEST:FENCE list of results that the coordinator has not taken yet
 *   NS:q:DIGEST:…           BullMQ's own, the queue of the study's epochs
 */

export interface Keys {
  readonly studies: string;
  readonly workers: string;
  readonly fence: string;
  /** Prefix of BullMQ's keys. */
  readonly queues: string;
  study(digest: string): string;
  lock(digest: string): string;
  known(digest: string, fence: number): string;
  results(digest: string, fence: number): string;
  /** Patterns of these keys, of all runs. */
  knownOfAll(digest: string): string;
  resultsOfAll(digest: string): string;
}

export function keysOf(namespace: string): Keys {
  return {
    studies: `${namespace}:studies`,
    workers: `${namespace}:workers`,
    fence: `${namespace}:fence`,
    queues: `${namespace}:q`,
    study: (digest) => `${namespace}:study:${digest}`,
    lock: (digest) => `${namespace}:lock:${digest}`,
    known: (digest, fence) => `${namespace}:known:${digest}:${fence}`,
    results: (digest, fence) => `${namespace}:results:${digest}:${fence}`,
    knownOfAll: (digest) => `${namespace}:known:${digest}:*`,
    resultsOfAll: (digest) => `${namespace}:results:${digest}:*`,
  };
}
