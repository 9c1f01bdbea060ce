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

describe.each(['json', 'text'] as const)('a logger of %s', (format) => {
  it('writes one line per message', () => {
    const { logger, lines } = open({ format });
    logger.info('hello\nthere');
    logger.warn({ account: 'main', size: 7 }, 'again');
    logger.error(new Error('it broke').message);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(/\n$/);
    expect(lines[0]).toContain('hello');
    expect(lines[1]).toContain('again');
    expect(lines[2]).toContain('it broke');
  });

  it('writes nothing below its level', () => {
    const { logger, lines } = open({ format, level: 'warn' });
    logger.debug('no');
    logger.info('no');
    logger.warn('yes');
    expect(lines).toHaveLength(1);
    const silent = open({ format, level: 'silent' });
    silent.logger.fatal('no');
    expect(silent.lines).toEqual([]);
  });

  it('never writes a secret, in any place', () => {
    const { logger, lines } = open({ format });
    logger.info('the key s3cret is here');
    logger.info({ url: 'http://a/?key=%733cret', stack: 's3cret' }, 'an address');
    logger.error({ err: new Error('no s3cret') }, 'failed');
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toMatch(/s3cret|%733cret/);
    expect(lines.join('')).toContain('[key]');
  });
});

describe('a logger', () => {
  it('writes to stderr by default', () => {
    const written = watchConsole();
    createLogger({ level: 'info', format: 'json', secrets: [] }).info('hello');
    expect(written).toHaveLength(1);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ level: 30, msg: 'hello' });
  });
});
