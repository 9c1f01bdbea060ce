/** Notifies a service manager such as systemd of what the worker does: sd_notify(3). */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { NotifySocket } from '../config/env-vars.ts';
import { errorCode, errorMessage } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';

export type ServiceManager = ReturnType<typeof openServiceManager>;

const execute = promisify(execFile);

/** A message that is not delivered within this time is given up. */
const TIMEOUT_MS = 2_000;

/**
 * Sends one message after the other, by the program `systemd-notify`, because Node has no unix datagram
 * sockets. The program is part of systemd, and waits until a message was read. The watchdog is fed by the
 * event loop, so that a process that hangs stops feeding it. Without a service manager (null) nothing is
 * sent.
 */
export function openServiceManager(socket: NotifySocket | null, logger: Logger) {
  let last: Promise<void> = Promise.resolve();
  let lastFailure: string | null = null;
  let isFeeding = false;
  const warn = (error: unknown) => {
    const reason =
      errorCode(error) === 'ENOENT' ? 'the program systemd-notify was not found' : errorMessage(error);
    if (reason === lastFailure) return; // a reason is logged once, not at each message
    lastFailure = reason;
    const advice = 'install the package systemd, or use Type=exec without WatchdogSec';
    const text = `systemd cannot be notified: ${reason}; ${advice}`;
    logger.warn({ event: 'service_manager_unreachable', reason }, text);
  };
  const send = (...assignments: string[]): Promise<void> => {
    if (socket) last = last.then(() => notify(assignments, socket.environment).catch(warn));
    return last;
  };
  const feed = () => {
    if (isFeeding) return;
    isFeeding = true;
    void send('WATCHDOG=1').finally(() => (isFeeding = false));
  };
  const timer = socket?.watchdogMs ? setInterval(feed, socket.watchdogMs / 2).unref() : undefined;
  return {
    /** Shows what the worker does before it is ready. */
    starting: (status: string) => void send(`STATUS=${status}`),
    /** Reports that the worker has its lock and its web server listens, or that a reload has ended. */
    ready: (status: string) => void send('READY=1', `STATUS=${status}`),
    /**
     * Reports that a reload begins. `Type=notify-reload` compares CLOCK_MONOTONIC, in microseconds, with the
     * time of its SIGHUP.
     */
    reloading: (status: string) =>
      void send('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`, `STATUS=${status}`),
    stopping: (status: string) => void send('STOPPING=1', `STATUS=${status}`),
    /** Ends the watchdog; resolves when the last message was delivered. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      await last;
    },
  };
}

async function notify(assignments: readonly string[], env: NotifySocket['environment']): Promise<void> {
  await execute('systemd-notify', assignments, { env, timeout: TIMEOUT_MS });
}
