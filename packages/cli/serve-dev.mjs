import { serve } from "./dist/commands/serve.js";
process.exitCode = await serve();
