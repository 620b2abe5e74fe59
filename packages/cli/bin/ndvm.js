#!/usr/bin/env node
import { runProcess } from "#main";

await runProcess(process.argv.slice(2));
