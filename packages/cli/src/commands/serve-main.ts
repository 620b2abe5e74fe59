/**
 * `ndvm serve` by itself: what the Python package starts, without the rest of the command.
 */

import { serve } from "./serve.js";

process.exitCode = await serve();
