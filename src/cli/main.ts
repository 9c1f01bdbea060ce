/** The process of a command: arguments in, text and exit code out. */
import { ignoreLostLog } from '../lib/lost-log.ts';
import { runCommandLine } from './command-line.ts';
import { EXIT } from './exit.ts';

/** Commands that serve, whatever becomes of what they print. */
const SERVING = ['start', 'sandbox', 'demo'];

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  if (SERVING.includes(process.argv[2] ?? '')) return;
  process.stderr.write(
    `vodhouse: stdout cannot be written: ${error.code === 'ENOSPC' ? 'the disk is full' : error.message}\n`,
  );
  process.exit(EXIT.failed);
});

ignoreLostLog();
process.exitCode = EXIT.failed; // also where a command never ends, and nothing is left to wait for
void runCommandLine(process.argv.slice(2)).then((code) => (process.exitCode = code));
