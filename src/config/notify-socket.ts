/** What a service manager such as systemd tells a process that it starts (sd_notify(3), sd_watchdog_enabled(3)). */
export interface NotifySocket {
  /** The environment of the program that sends a message to it: the address of the socket, and where programs are. */
  environment: { NOTIFY_SOCKET: string; PATH: string };
  /** The process is restarted where it is silent for this long; null: no matter how long. */
  watchdogMs: number | null;
}

/**
 * Takes the variables out of the environment, so that no child process speaks for this one. Null where no service manager
 * waits for messages. A watchdog that is meant for another process, such as a shell that started this one, is none.
 */
export function takeNotifySocket(
  env: Record<string, string | undefined> = process.env,
  pid: number = process.pid,
): NotifySocket | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched, PATH = '' } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) Reflect.deleteProperty(env, name);
  if (socket === undefined || socket === '') return null;
  const watchdogMs = Number(usec ?? '') / 1000;
  const isOurs = watched === undefined || Number(watched) === pid;
  return {
    environment: { NOTIFY_SOCKET: socket, PATH },
    watchdogMs: isOurs && watchdogMs > 0 ? watchdogMs : null,
  };
}
