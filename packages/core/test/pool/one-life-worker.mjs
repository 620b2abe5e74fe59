/**
 * A worker that can be told to die, or one that is no pool's worker: what the environment says when
 * it starts.
 */
const isStrange = process.env.NDVM_TEST_STRANGE_WORKER !== undefined;
await import(isStrange ? "./strange-worker.mjs" : "./dying-worker.mjs");
