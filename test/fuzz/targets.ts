/** What reads texts from outside, each with what must hold for every input. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { readPackagesFile } from '../../src/config/packages-file.ts';
import { ConfigError, RefusedError, TransientError } from '../../src/lib/errors.ts';
import { redact } from '../../src/lib/redact.ts';
import {
  readPageIfChanged,
  readStorageDays,
  readVideoPage,
} from '../../src/service/client/parse-response.ts';
import { readStorageDay } from '../../src/service/storage.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { openSite, SERVICE_KEYS } from '../support/servers/open-web-server.ts';
import { inTime } from '../support/time-limit.ts';

/** Takes one input; throws where it breaks a promise. */
export type Target = (input: Buffer) => void | Promise<void>;

/** The key in the corpus: it must not appear in any text that is shown or stored. */
const CANARY = 'canary-0xC0FFEE-key';
const PARSING = {
  codes: { restricted: ['Limited'], final: ['Closed'] },
  exclude: [],
  redact: (text: string) => redact(text, [CANARY]),
};
const HANG_MS = 20_000;

/** The targets by the names of their folders in the corpus. They last until the end of the test. */
export const TARGETS: Record<string, () => Target | Promise<Target>> = {
  videos: () => (input) => {
    expectOnly([TransientError, RefusedError], () => {
      const page = readVideoPage([input], PARSING);
      expectNoKey([page.refused, page.drift], [CANARY]);
      if (page.hash === null) return;
      const again = readPageIfChanged([input], PARSING, page.hash);
      expectEqual(again.paging, page.paging);
      if (again.kind === 'known') expectEqual(readVideoPage(again.content, PARSING).ids, page.ids);
    });
  },
  storage: () => (input) => {
    expectOnly([TransientError, RefusedError], () => {
      const days = readStorageDays([input], PARSING);
      days.records.forEach(readStorageDay);
    });
  },
  config: () => {
    const file = join(temporaryFolder(), 'vodhouse.yaml');
    const warnings = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => warnings.mockRestore());
    return (input) => {
      writeFileSync(file, input);
      // Where the mutation took the key from its place, it is no secret.
      const secrets = /^[^#]*\bkey: canary-0xC0FFEE-key\b/m.test(input.toString()) ? [CANARY] : [];
      expectOnly([ConfigError], () => loadConfig(file, {}), secrets);
      expectNoKey(warnings.mock.calls, secrets);
    };
  },
  packages: () => {
    const file = join(temporaryFolder(), 'packages.csv');
    return (input) => {
      writeFileSync(file, input);
      const read = inTime(() => readPackagesFile(file, [CANARY]));
      if ('problems' in read) expectNoKey(read.problems, [CANARY]);
    };
  },
  query: async () => {
    const site = await openSite();
    return async (input) => {
      const path = `/${input.toString('latin1').trim().replace(/^\/+/, '')}`;
      const response = await fetch(site.url + path, {
        redirect: 'manual',
        signal: AbortSignal.timeout(HANG_MS),
      });
      const text = await response.text();
      if (response.status >= 500) throw new Error(`${path} is answered with HTTP ${response.status}`);
      expectNoKey(text, SERVICE_KEYS);
      if (site.errors.length > 0) throw new Error(`${path} failed`, { cause: site.errors[0] });
    };
  },
};

/** Runs within a limit of time; of its errors only those of these classes are expected, without a secret. */
function expectOnly(
  classes: readonly (abstract new (...args: never[]) => Error)[],
  run: () => unknown,
  secrets: readonly string[] = [],
): void {
  try {
    inTime(run);
  } catch (error) {
    if (!classes.some((expected) => error instanceof expected)) throw error;
    expectNoKey([(error as Error).message, (error as { hint?: string }).hint], secrets);
  }
}

function expectNoKey(value: string | readonly unknown[], secrets: readonly string[]): void {
  const text = JSON.stringify(value);
  if (secrets.some((secret) => text.includes(secret))) throw new Error(`a text has the key: ${text}`);
}

function expectEqual(found: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} is not ${right}`);
}
