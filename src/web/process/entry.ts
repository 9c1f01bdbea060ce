/** The entry point of the web server's process. It ends with the worker. */
import type { Config } from '../../config/config.ts';
import { exitWithParent, sendToParent, serializeError } from '../../lib/child-process.ts';
import { systemClock } from '../../lib/clock.ts';
import { errorMessage } from '../../lib/errors.ts';
import { openWebServer, type WebServer } from '../server.ts';
import { DEAD_AFTER_MS, type FromServer, type ToServer } from './ipc.ts';

/** The time by a monotonic clock, which a change of the machine's clock does not affect. */
let lastHeartbeatMs = performance.now();
let webServer: WebServer | null = null;

const send = (message: FromServer): void => sendToParent(message);

async function serve(config: Config): Promise<void> {
  const { server } = config;
  if (!server) return;
  const onError = (error: unknown) => send({ error: errorMessage(error) });
  try {
    webServer = await openWebServer({ ...config, server }, { clock: systemClock, workerDeadReason, onError });
    send({ url: webServer.url });
  } catch (error) {
    send({ startError: serializeError(error) });
  }
}

function workerDeadReason(): string | null {
  const silentMs = performance.now() - lastHeartbeatMs;
  return silentMs > DEAD_AFTER_MS
    ? `no heartbeat from the worker for ${Math.round(silentMs / 1000)} s`
    : null;
}

exitWithParent(() => {
  void webServer?.close().finally(() => process.exit());
  if (!webServer) process.exit();
});
process.on('message', (message: ToServer) => {
  if ('serve' in message) void serve(message.serve);
  else if ('published' in message) webServer?.recordPublication(message.published);
  else lastHeartbeatMs = performance.now();
});
