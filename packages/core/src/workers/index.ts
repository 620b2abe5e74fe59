/**
 * `@ndvm/core/workers`: how workers are started, watched, replaced and ended, for packages of NDVM
 * that have workers of their own.
 */

export { Crew, type CrewPlan, type Death, type Watch } from "./crew.js";
export {
  coreCount,
  type Host,
  type HostEvents,
  hostStarter,
  type StartHost,
  sharesMemory,
  type WorkerCode,
  type WorkerEnd,
} from "./host.js";
export { READY, servePort, type WorkerPort } from "./port.js";
