/** The process of a command: arguments in, text and exit code out. */
import { ignoreLostLog } from '../lib/lost-log.ts';
import { runCommandLine } from './command-line.ts';
import { EXIT } from './exit.ts';

/** Commands that print rows for as long as they are read. All others end what they began. */
const PRINTING = ['query', 'export'];
/** Commands that serve: what they print is no part of that. */
const SERVING = ['start', 'sandbox', 'demo'];

const command = process.argv[2] ?? '';
let isLost = false;

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  const hasEnded = code === 'EPIPE'; // its reader has read enough
  if (!hasEnded && !isLost && !SERVING.includes(command)) {
    isLost = true;
    process.exitCode = EXIT.failed;
    const reason = code === 'ENOSPC' ? 'the disk is full' : message;
    process.stderr.write(`vodhouse: stdout cannot be written: ${reason}\n`);
  }
  if (PRINTING.includes(command)) process.exit(hasEnded ? EXIT.done : EXIT.failed);
});

ignoreLostLog();
process.exitCode = EXIT.failed; // also where a command never ends, and nothing is left to wait for
void runCommandLine(process.argv.slice(2)).then((code) => (process.exitCode = isLost ? EXIT.failed : code));
