import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WarehouseError } from '../../../src/lib/errors.ts';
import { openEndedSessions, sessionExpiryMs } from '../../../src/web/auth/ended-sessions.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

const session = (expiryMs: number, digit = '7') => `${expiryMs}-${digit.repeat(32)}`;

function open(file = join(temporaryFolder(), 'ended'), now = NOW) {
  const errors: unknown[] = [];
  const sessions = openEndedSessions(file, { now, onError: (error) => void errors.push(error) });
  return { file, errors, sessions };
}

describe('ended sessions', () => {
  it('are in a file for its owner alone, which appears with the first one', () => {
    const { file, sessions } = open();
    expect(existsSync(file)).toBe(false);
    sessions.add(session(NOW + 1));
    expect([sessions.has(session(NOW + 1)), sessions.has(session(NOW + 2))]).toEqual([true, false]);
    expect(readFileSync(file, 'utf8')).toBe(`${session(NOW + 1)}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are taken out of the file at a start once they have expired, but for the last thousand', () => {
    const { file } = open();
    const before = [session(NOW + 1, '9'), session(NOW + 5_000), session(NOW + 1, '8')];
    const thousand = Array.from({ length: 1_000 }, (_, index) => session(NOW + index));
    writeFileSync(file, `${[...before, ...thousand].join('\n')}\n`);
    const { sessions } = open(file, NOW + 2_000);
    expect(before.map((each) => sessions.has(each))).toEqual([false, true, false]);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(1 + 1_000 + 1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toEqual(['ended']);
  });

  it('stay ended though the clock is years ahead at a start', () => {
    const { file, sessions } = open();
    sessions.add(session(NOW + 1));
    open(file, Date.parse('2030-01-01T00:00:00Z'));
    expect(open(file).sessions.has(session(NOW + 1))).toBe(true);
  });

  it('are read from a file whose last line was cut', () => {
    const { file } = open();
    writeFileSync(file, `${session(NOW + 5)}\n${session(NOW + 6).slice(0, 20)}`);
    const { sessions, errors } = open(file);
    expect(sessions.has(session(NOW + 5))).toBe(true);
    sessions.add(session(NOW + 7));
    expect(readFileSync(file, 'utf8')).toBe(`${session(NOW + 5)}\n${session(NOW + 7)}\n`);
    expect(errors).toEqual([]);
  });

  it('are ended also where they cannot be written, which is reported', () => {
    const { sessions, errors } = open('/proc/none/ended');
    sessions.add(session(NOW + 1));
    expect(sessions.has(session(NOW + 1))).toBe(true);
    expect(errors.map(String)).toEqual([
      expect.stringContaining('the list of ended logins cannot be written: ENOENT') as string,
    ]);
  });

  it('that cannot be read stop the server: they would be valid again', () => {
    const { file } = open();
    mkdirSync(file);
    chmodSync(file, 0o700);
    expect(() => open(file)).toThrow(WarehouseError);
    expect(() => open(file)).toThrow(`${file} cannot be read`);
  });
});

describe('the expiry of a session', () => {
  it('is NaN for what is no session', () => {
    expect(sessionExpiryMs(session(NOW))).toBe(NOW);
    for (const text of [
      '',
      String(NOW),
      `${NOW}-7`,
      ` ${session(NOW)}`,
      `-${session(NOW)}`,
      `1e3-${'7'.repeat(32)}`,
    ]) {
      expect([text, sessionExpiryMs(text)]).toEqual([text, Number.NaN]);
    }
  });
});
