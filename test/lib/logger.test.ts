import { describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from '../../src/lib/logger.ts';
import { watchConsole } from '../support/processes/captured-output.ts';
import {
  ConfigError,
  InterruptedError,
  LockedError,
  VodhouseError,
  WarehouseError,
} from '../../src/lib/errors.ts';
import { formatBinaryBytes, formatBytes } from '../../src/lib/format.ts';

function open(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return {
    logger: createLogger({ level: 'info', format: 'json', secrets: ['s3cret'], write, ...options }),
    lines,
  };
}

const postponed = (reason: string) => ({ event: 'run_postponed', reason }) as const;

describe.each(['json', 'text'] as const)('a logger of %s', (format) => {
  it('writes one line per message, whatever the message holds', () => {
    const { logger, lines } = open({ format });
    logger.info(postponed('a\nb'), 'hello\nthere\r\u001b[2Jand\u2028again');
    logger.error({ event: 'check_failed', error: 'it broke', stack: 'Error: it\n    at a' }, 'it broke');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^\P{Cc}*\n$/u);
    expect(lines[0]).toContain('hello');
    expect(lines[1]).toContain('it broke');
    expect(lines[1]).toContain('at a');
  });

  it('never writes a secret, in any place', () => {
    const { logger, lines } = open({ format });
    logger.info(postponed('http://a/?key=%733cret'), 'the key s3cret is here, %73%33cret too');
    logger.error({ event: 'check_failed', error: 'no s3cret', stack: 's3cret' }, 'failed');
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toMatch(/s3cret|%733cret|%73%33/);
    expect(lines.join('')).toContain('[key]');
  });
});

describe('a logger', () => {
  it('writes facts as fields and the level as a word, to stderr by default', () => {
    const written = watchConsole();
    createLogger({ level: 'info', format: 'json', secrets: [] }).info(postponed('busy'), 'hello');
    expect(written).toHaveLength(1);
    const line = JSON.parse(written[0] ?? '') as Record<string, unknown>;
    expect(line).toMatchObject({ level: 'info', event: 'run_postponed', reason: 'busy', msg: 'hello' });
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('writes no fields in a text, whose message holds them', () => {
    const { logger, lines } = open({ format: 'text' });
    logger.warn(postponed('busy'), 'hello');
    expect(lines[0]).toMatch(/^\[.* UTC\] WARN: hello\n$/);
  });
});

describe('an error of vodhouse', () => {
  it('has the name of its class, a message, an optional hint, and its cause', () => {
    const cause = new Error('EACCES');
    for (const Each of [ConfigError, WarehouseError, LockedError, InterruptedError]) {
      const error = new Each('it broke', { hint: 'mend it', cause });
      expect(error).toBeInstanceOf(VodhouseError);
      expect(error).toMatchObject({ name: Each.name, message: 'it broke', hint: 'mend it', cause });
      expect(new Each('it broke').hint).toBeUndefined();
    }
  });
});

it.each([
  [0, '0 B', '0 B'],
  [999, '999 B', '999 B'],
  [1000, '1 kB', '1000 B'],
  [1024, '1.02 kB', '1 KiB'],
  [999_499, '999 kB', '976 KiB'],
  [999_500, '1 MB', '976 KiB'],
  [999_950, '1 MB', '977 KiB'],
  [1_048_575, '1.05 MB', '1020 KiB'],
  [1_048_576, '1.05 MB', '1 MiB'],
  [2 ** 40, '1.1 TB', '1 TiB'],
  [999_999_999_999, '1 TB', '931 GiB'],
  [-999_950, '-1 MB', '-977 KiB'],
])('formats %i bytes with a unit below which no thousand is shown: %s, %s', (bytes, decimal, binary) => {
  expect([formatBytes(bytes), formatBinaryBytes(bytes)]).toEqual([decimal, binary]);
});
