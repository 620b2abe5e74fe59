/**
 * What the walk that has just ended did, in one place: doubles at the fields REPORT_* of layout.ts.
 */

import {
  REPORT_ACTIVE_MADE,
  REPORT_ADJOINT_BYTES,
  REPORT_BYTES,
  REPORT_COMPACTIONS,
  REPORT_FAULT,
  REPORT_HEAP_BYTES,
  REPORT_LIVE,
  REPORT_MIXED,
  REPORT_OBJECTS,
  REPORT_PAYLOADS,
  REPORT_PRIMAL_BYTES,
  REPORT_RECORDING,
  REPORT_RESULT_DATA,
  REPORT_RESULT_TAG,
  REPORT_STEPS,
  REPORT_STRAYS,
  REPORT_TAPE_ACTIVE,
  REPORT_TAPE_BYTES,
  REPORT_UNIFORM_MADE,
} from "../../src/program/layout";
import { adjointTop, heapTop, primalTop, tapeTop } from "../memory/arena";
import { stepsTaken } from "../lanes/budget";
import { compactions } from "./collect";
import { faultCode } from "../memory/fault";
import { objectsMade } from "../memory/heap";
import { liveLanes, strayLanes } from "../lanes/lanes";
import { activeMade, payloadsMade, uniformMade } from "../tape/payload";
import { Walk } from "./registers";
import { activeRecords, isMerging, recording } from "../tape/recording";
import { dataOf, tagOf } from "../memory/value";

const report: usize = memory.data(REPORT_BYTES, 16);

/** Writes the report and returns its address. */
export function walkReport(): usize {
  store<f64>(report, faultCode, REPORT_FAULT);
  store<f64>(report, liveLanes(), REPORT_LIVE);
  store<f64>(report, recording, REPORT_RECORDING);
  store<f64>(report, tagOf(Walk.value), REPORT_RESULT_TAG);
  store<f64>(report, dataOf(Walk.value), REPORT_RESULT_DATA);
  store<f64>(report, stepsTaken(), REPORT_STEPS);
  store<f64>(report, strayLanes(), REPORT_STRAYS);
  store<f64>(report, payloadsMade, REPORT_PAYLOADS);
  store<f64>(report, uniformMade, REPORT_UNIFORM_MADE);
  store<f64>(report, activeMade, REPORT_ACTIVE_MADE);
  store<f64>(report, activeRecords, REPORT_TAPE_ACTIVE);
  store<f64>(report, objectsMade, REPORT_OBJECTS);
  store<f64>(report, <f64>primalTop, REPORT_PRIMAL_BYTES);
  store<f64>(report, <f64>adjointTop, REPORT_ADJOINT_BYTES);
  store<f64>(report, <f64>tapeTop, REPORT_TAPE_BYTES);
  store<f64>(report, <f64>heapTop, REPORT_HEAP_BYTES);
  store<f64>(report, compactions, REPORT_COMPACTIONS);
  store<f64>(report, isMerging ? 1 : 0, REPORT_MIXED);
  return report;
}
