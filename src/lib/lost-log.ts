/**
 * To be called once in each process: then a log that cannot be written does not end it, as on a full disk or
 * after its terminal is gone. What cannot be logged is lost. SIGUSR2, at which Node would end, does not end
 * it either.
 */
export function ignoreLostLog(): void {
  process.stderr.on('error', () => undefined);
  process.on('SIGUSR2', () => undefined);
}
