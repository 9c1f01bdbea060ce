/** The process of a command: arguments in, text and exit code out. */
import { ignoreClosedLog } from '../lib/log-pipe.ts';
import { runCommandLine } from './command-line.ts';
import { EXIT } from './exit.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  process.stderr.write(
    `vodhouse: stdout cannot be written: ${error.code === 'ENOSPC' ? 'the disk is full' : error.message}\n`,
  );
  process.exit(EXIT.failed);
});

ignoreClosedLog();
process.exitCode = EXIT.failed; // also where a command never ends, and nothing is left to wait for
void runCommandLine(process.argv.slice(2)).then((code) => (process.exitCode = code));
