import { createRequire } from 'node:module';
import colors from 'picocolors';

/** `text`: a plain line a message; `json`: pino's own lines. */
export type LogFormat = 'text' | 'json';

type PrettyModule = { prettyFactory: (options: object) => (line: string) => string };

/** Renders pino's JSON lines as plain text lines, or leaves them as they are. */
export function pinoPretty(format: LogFormat): (line: string) => string {
  if (format === 'json') return (line) => line;
  const pretty = createRequire(import.meta.url)('pino-pretty') as PrettyModule;
  return pretty.prettyFactory({
    colorize: process.stderr.isTTY && colors.isColorSupported,
    translateTime: "UTC:yyyy-mm-dd HH:MM:ss 'UTC'",
    ignore: 'account,packageId,page,runId', // the message says them
    singleLine: true,
  });
}
