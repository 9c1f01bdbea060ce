/**
 * Mutated texts from outside: `npm run fuzz` for FUZZ_SECONDS with a new seed, else a few hundred with a
 * fixed one.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { readPackagesFile } from '../../src/config/packages-file.ts';
import { ConfigError, RefusedError, TransientError } from '../../src/lib/errors.ts';
import { redact } from '../../src/lib/redact.ts';
import { readPageIfChanged, readRecordList, readVideoPage } from '../../src/service/client/parse-response.ts';
import { readStorageDay, STORAGE_ANSWER } from '../../src/service/storage.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { openSite, SERVICE_KEYS } from '../support/servers/open-web-server.ts';
import { inTime } from '../support/time-limit.ts';

/** Takes one input; throws where it breaks a promise. */
type Target = (input: Buffer) => void | Promise<void>;

/** The key in the corpus: it must not appear in any text that is shown or stored. */
const CANARY = 'canary-0xC0FFEE-key';
const PARSING = {
  codes: { restricted: ['Limited'], final: ['Closed'] },
  exclude: [],
  redact: (text: string) => redact(text, [CANARY]),
};
const HANG_MS = 20_000;

/** The targets by the names of their folders in the corpus. They last until the end of the test. */
const TARGETS: Record<string, () => Target | Promise<Target>> = {
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
      const days = readRecordList([input], PARSING, STORAGE_ANSWER);
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

const CORPUS = join(import.meta.dirname, 'corpus');
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0);
const SEED = Number(process.env['FUZZ_SEED'] ?? (SECONDS > 0 ? Date.now() % 2 ** 31 : 1));
const MS_EACH = (SECONDS * 1000) / Object.keys(TARGETS).length;
const CASES = SECONDS > 0 ? { numRuns: 1e9, interruptAfterTimeLimit: MS_EACH } : { numRuns: 100 };

/** Parts of the formats that are read, and what breaks careless readers. */
const TOKENS = [
  'null',
  'true',
  '-1',
  '1e999',
  '9007199254740993',
  '""',
  '{}',
  '[',
  ']',
  '"',
  "'",
  ':',
  ',',
  '\n',
  '\0',
  '\\ud800',
  '"__proto__":1,',
  '${X}',
  '${',
  '&a ',
  '*a',
  '<<: ',
  '!!binary ',
  '- ',
  '\t',
  ';',
  '#',
  '\xef\xbb\xbf',
  '\xff',
  '\xc3',
  '%00',
  '%',
  '%ff',
  '%ed%a0%80',
  '&',
  '=',
  '[]',
  '..',
  '9'.repeat(400),
  '[{'.repeat(500),
];

/** A change of some parts of a text: words, spaces and signs. */
const edit = fc.record({
  at: fc.nat(),
  removed: fc.nat({ max: 6 }),
  repeated: fc.nat({ max: 3 }),
  added: fc.oneof(
    fc.constant(''),
    fc.constantFrom(...TOKENS),
    fc.string({ unit: 'binary-ascii', maxLength: 4 }),
  ),
});
const someEdits = fc.array(edit, { minLength: 1, maxLength: 5 });
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

describe.each(Object.entries(TARGETS))('%s', (name, open) => {
  const folder = join(CORPUS, name);
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)));

  it('holds for the files of the corpus', async () => {
    const target = await open();
    for (const file of files) await run(name, target, file);
    expect(files.length).toBeGreaterThan(0);
  });

  it(
    `holds for mutations of them (FUZZ_SEED=${SEED})`,
    async () => {
      const target = await open();
      const property = fc.asyncProperty(fc.constantFrom(...files), someEdits, (file, edits) =>
        run(name, target, mutate(file, edits)),
      );
      await fc.assert(property, { seed: SEED, ...CASES });
    },
    MS_EACH + 600_000,
  );
});

function mutate(file: Buffer, edits: readonly Edit[]): Buffer {
  const parts = file.toString('latin1').match(/\w+|\s+|[^\w\s]/g) ?? [];
  for (const { at, removed, repeated, added } of edits) {
    const start = at % (parts.length + 1);
    const taken = parts.slice(start, start + removed);
    parts.splice(start, removed, ...Array.from({ length: repeated }, () => taken).flat(), added);
  }
  return Buffer.from(parts.join(''), 'latin1');
}

/** An input that fails is written to a file, to be put into the corpus. */
async function run(name: string, target: Target, input: Buffer): Promise<void> {
  try {
    await target(input);
  } catch (error) {
    const file = join(tmpdir(), `fuzz-${name}-input`);
    writeFileSync(file, input);
    throw new Error(`${file} fails; once corrected, it belongs into test/fuzz/corpus/${name}`, {
      cause: error,
    });
  }
}
