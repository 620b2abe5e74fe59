/**
 * What the walk that has just ended did, in one place: doubles at the fields REPORT_* of layout.ts.
 */

import { REPORT_BYTES } from "../../src/program/layout";
import { stepsTaken } from "../lanes/budget";
import { liveLanes, strayLanes } from "../lanes/lanes";
import { adjointTop, heapTop, primalTop, tapeTop } from "../memory/arena";
import { faultCode } from "../memory/fault";
import { objectsMade } from "../memory/heap";
import { reportAt } from "../memory/layout";
import { dataOf, tagOf } from "../memory/value";
import { activeMade, payloadsMade, uniformMade } from "../tape/payload";
import { activeRecords, isMerging, recording } from "../tape/recording";
import { compactions } from "./collect";
import { Walk } from "./registers";

const report: usize = memory.data(REPORT_BYTES, 16);

/** Writes the report and returns its address. */
export function walkReport(): usize {
  reportAt(report).fault = faultCode;
  reportAt(report).live = liveLanes();
  reportAt(report).recording = recording;
  reportAt(report).resultTag = tagOf(Walk.value);
  reportAt(report).resultData = dataOf(Walk.value);
  reportAt(report).steps = stepsTaken();
  reportAt(report).strays = strayLanes();
  reportAt(report).payloads = payloadsMade;
  reportAt(report).uniformMade = uniformMade;
  reportAt(report).activeMade = activeMade;
  reportAt(report).tapeActive = activeRecords;
  reportAt(report).objects = objectsMade;
  reportAt(report).primalBytes = <f64>primalTop;
  reportAt(report).adjointBytes = <f64>adjointTop;
  reportAt(report).tapeBytes = <f64>tapeTop;
  reportAt(report).heapBytes = <f64>heapTop;
  reportAt(report).compactions = compactions;
  reportAt(report).hasMerges = isMerging ? 1 : 0;
  return report;
}
