/** Mutated texts from outside: `npm run fuzz` for FUZZ_SECONDS with a new seed, else a few hundred with a fixed one. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TARGETS, type Target } from './targets.ts';

const CORPUS = join(import.meta.dirname, 'corpus');
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0);
const SEED = Number(process.env['FUZZ_SEED'] ?? (SECONDS > 0 ? Date.now() % 2 ** 31 : 1));
const MS_EACH = (SECONDS * 1000) / Object.keys(TARGETS).length;
const CASES = SECONDS > 0 ? { numRuns: 1e9, interruptAfterTimeLimit: MS_EACH } : { numRuns: 300 };

/** Parts of the formats that are read, and what breaks careless readers. */
const TOKENS = [
  ...[
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
  ],
  ...['\\ud800', '"__proto__":1,', '${X}', '${', '&a ', '*a', '<<: ', '!!binary ', '- ', '\t', ';', '#'],
  ...[
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
  ],
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
