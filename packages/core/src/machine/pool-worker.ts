/**
 * A worker of a pool. The same file runs as a Web Worker and as a worker thread of Node.
 */

import { servePort } from "../workers/port.js";
import { servePool } from "./pool/serve.js";

servePort(servePool);
