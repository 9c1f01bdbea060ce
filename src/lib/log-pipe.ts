/**
 * For each process: a log pipe that closes does not end it, nor does SIGUSR2, which Node would end at. What cannot be logged
 * is lost.
 */
export function ignoreClosedLog(): void {
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
  });
  process.on('SIGUSR2', () => undefined);
}
