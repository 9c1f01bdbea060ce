import { describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from '../../src/lib/logger.ts';
import { watchConsole } from '../support/processes/captured-output.ts';

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
