/** The process of the server: takes what to serve, says where it listens, and ends with the worker. */
import type { Config } from '../../config/config.ts';
import { exitWithParent } from '../../lib/child-process.ts';
import { systemClock } from '../../lib/clock.ts';
import { errorMessage } from '../../lib/errors.ts';
import { serializeError } from '../../lib/serialize-error.ts';
import { DEAD_AFTER_MS, type FromServer, type ToServer } from './ipc.ts';
import { openWebServer, type Serving } from './compose.ts';

/** By a clock that nobody sets. */
let livedAt = performance.now();
let serving: Serving | null = null;

function say(words: FromServer): void {
  if (process.connected) process.send?.(words);
}

async function serve(config: Config): Promise<void> {
  const { server } = config;
  if (!server) return;
  try {
    serving = await openWebServer({ ...config, server }, { clock: systemClock, whyDead, onError: tell });
    say({ url: serving.url });
  } catch (error) {
    say({ refused: serializeError(error) });
  }
}

function tell(error: unknown): void {
  say({ failed: errorMessage(error) });
}

function whyDead(): string | null {
  const silentMs = performance.now() - livedAt;
  return silentMs > DEAD_AFTER_MS
    ? `the worker has not been heard of for ${Math.round(silentMs / 1000)} s`
    : null;
}

exitWithParent(() => {
  void serving?.close().finally(() => process.exit());
  if (!serving) process.exit();
});
process.on('message', (message: ToServer) => {
  if ('serve' in message) void serve(message.serve);
  else if ('published' in message) serving?.published(message.published);
  else livedAt = performance.now();
});
