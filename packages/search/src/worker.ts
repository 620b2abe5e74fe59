/**
 * A worker of a search: runs epochs behind a port. It takes bundles of them, one after the other, and
 * answers each with all of its results.
 */

import { servePort } from "@ndvm/core/workers";
import { serveEpochs } from "./pool/serve.js";

// What goes wrong in here is told by its code and its message; a stack takes longer than both.
Error.stackTraceLimit = 0;

servePort(serveEpochs);
