/** The process of a command: takes its arguments, and ends with its exit code. */
import { ignoreLostLog } from '../lib/lost-log.ts';
import { runCommandLine } from './command-line.ts';
import { EXIT } from './exit.ts';

/** Commands that end when nothing reads their output any more. All others complete what they began. */
const PRINTING = ['query', 'export'];
/** Commands that continue, and succeed, although stdout cannot be written. */
const SERVING = ['start', 'sandbox', 'demo'];

const command = process.argv[2] ?? '';
let isLost = false;

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  const hasEnded = code === 'EPIPE'; // the process that reads stdout has ended
  if (!hasEnded && !isLost && !SERVING.includes(command)) {
    isLost = true;
    process.exitCode = EXIT.failed;
    const reason = code === 'ENOSPC' ? 'the disk is full' : message;
    process.stderr.write(`vodhouse: stdout cannot be written: ${reason}\n`);
  }
  if (PRINTING.includes(command)) process.exit(hasEnded ? EXIT.done : EXIT.failed);
});

ignoreLostLog();
process.exitCode = EXIT.failed; // stays if the process ends because nothing can settle the promise below
void runCommandLine(process.argv.slice(2)).then((code) => (process.exitCode = isLost ? EXIT.failed : code));
