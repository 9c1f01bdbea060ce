/**
 * For each process: a log that cannot be written does not end it (a full disk, a pipe or a terminal that is gone), nor does
 * SIGUSR2, which Node would end at. What cannot be logged is lost.
 */
export function ignoreLostLog(): void {
  process.stderr.on('error', () => undefined);
  process.on('SIGUSR2', () => undefined);
}
