/** The codes of writing to a pipe without a reader, and to a terminal that is gone. */
const CLOSED = ['EPIPE', 'ERR_STREAM_DESTROYED', 'EIO'];

/**
 * For each process: a log pipe that closes does not end it, nor does SIGUSR2, which Node would end at. What cannot be logged
 * is lost.
 */
export function ignoreClosedLog(): void {
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (!CLOSED.includes(error.code ?? '')) throw error;
  });
  process.on('SIGUSR2', () => undefined);
}
