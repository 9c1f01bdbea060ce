#!/usr/bin/env node
/** The command. Node 22.8 and later keep the code that they compiled for the next start. */
import module from 'node:module';
import { join } from 'node:path';

// In this package, not in the folder for temporary files: there, another user could leave code for this process.
// Where it cannot be written, the command starts without it.
module.enableCompileCache?.(join(import.meta.dirname, '../node_modules/.cache/vodhouse'));
await import('../dist/cli/main.js');
