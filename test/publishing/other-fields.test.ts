/** Fields without a published column of their own. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { change, liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import type { Row } from '../support/fixtures/live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

vi.setConfig({ testTimeout: 60_000 });

const UNEXPLAINED = ['cid', 'rate', 'drm_cid', 'opt', 'preloading'] as const;
type Name = (typeof UNEXPLAINED)[number] | 'encoding_success';

/** A video as the service returned it: its unexplained fields, and those that are unknown. */
interface Received {
  known: Record<Name, string | null>;
  unknown: Record<string, unknown> | null;
}

/** SQL text ends at a NUL. */
const text = fc.oneof(
  fc.constantFrom(
    null,
    '',
    ' ',
    '"',
    '\\',
    `a"b\\"c`,
    "it's",
    '{}',
    '",',
    '\u0001\u001b\u007f\u2028',
    '👩‍👩‍👧‍👦',
    '\r\n\t',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => value.replaceAll('\0', '')),
);
const received: fc.Arbitrary<Received> = fc.record({
  known: fc.record({
    cid: text,
    rate: text,
    drm_cid: text,
    opt: text,
    preloading: text,
    encoding_success: fc.oneof(fc.constantFrom('Y', 'N', 'y', 'F'), text),
  }),
  unknown: fc.option(
    fc.dictionary(
      fc.string({ unit: 'grapheme', maxLength: 6 }).map((name) => `x${name}`),
      fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value))), // no -0
      { minKeys: 1, maxKeys: 4 },
    ),
  ),
});

/** The JSON that must be published, as a value. */
function expected({ known, unknown }: Received, exclude: readonly string[]): object | null {
  const shown = Object.entries(known).filter(
    ([name, value]) =>
      !exclude.includes(name) &&
      value !== null &&
      value !== '' &&
      !(name === 'encoding_success' && (value === 'Y' || value === 'N')),
  );
  const fields = { ...Object.fromEntries(shown), ...unknown };
  return Object.keys(fields).length > 0 ? fields : null;
}

async function publishAll(videos: readonly Received[], exclude: readonly string[] = []) {
  const rows = videos.map(({ known, unknown }, index) =>
    videoRow(index + 1, { ...known, extra: unknown && JSON.stringify(unknown) }),
  );
  const { select } = await published(liveFileWith(packageRow(101), ...rows), { exclude });
  return select('select other_fields, is_encoded from videos order by video_id');
}

const parsed = (json: Row[string] | undefined): unknown => (json === null ? null : JSON.parse(String(json)));

describe('other_fields', () => {
  it('has every unexplained and unknown field that is not empty, as JSON', async () => {
    const nothing: Received = { known: videoFields({}), unknown: null };
    await fc.assert(
      fc.asyncProperty(fc.array(received, { minLength: 20, maxLength: 40 }), async (videos) => {
        const all = [nothing, ...videos];
        const rows = await publishAll(all);
        expect(rows.map(({ other_fields: json }) => parsed(json))).toEqual(
          all.map((each) => expected(each, [])),
        );
      }),
      { seed: 3, numRuns: Number(process.env.VODHOUSE_RUNS ?? 10) },
    );
  });

  it('is NULL where there are none, also where the service returned empty texts', async () => {
    const empty = Object.fromEntries(UNEXPLAINED.map((name) => [name, '']));
    const rows = await publishAll([
      { known: videoFields({}), unknown: null },
      { known: videoFields({ ...empty, encoding_success: '' }), unknown: null },
    ]);
    expect(rows.map((row) => row['other_fields'])).toEqual([null, null]);
  });

  it('has an encoding_success that is neither Y nor N, which is_encoded cannot show', async () => {
    const answers = ['Y', 'N', 'y', 'W', '', null];
    const rows = await publishAll(
      answers.map((encoding_success) => ({ known: videoFields({ encoding_success }), unknown: null })),
    );
    expect(rows).toEqual([
      { is_encoded: 1, other_fields: null },
      { is_encoded: 0, other_fields: null },
      { is_encoded: 0, other_fields: '{"encoding_success":"y"}' },
      { is_encoded: 0, other_fields: '{"encoding_success":"W"}' },
      { is_encoded: null, other_fields: null },
      { is_encoded: null, other_fields: null },
    ]);
  });

  it.each([
    [[], 'is_encoded', 'other_fields'],
    [['other_fields'], 'is_encoded', 'encoding_success'],
    [['encoding_success'], 'encoding_success', 'encoding_success'],
  ])(
    'is the field that changed where is_encoded stays as it is (left out: %j)',
    async (exclude, one, other) => {
      const set = (hour: number, value: string) =>
        change(1, `2026-03-02 0${hour}:00:00`, `encoding_success = '${value}'`);
      const live = liveFileWith(
        packageRow(101),
        videoRow(1, { encoding_success: 'Y' }),
        set(1, 'N'),
        set(2, 'F'),
        set(3, 'N'),
        set(4, 'Y'),
        set(5, 'F'),
      );
      const { select } = await published(live, { exclude });
      const named = [one, other, other, one, one];
      for (const column of ['changed_fields from video_versions', 'field from video_changes'])
        expect(
          select(`select ${column} where change = 'edited' order by version_key`).flatMap(Object.values),
        ).toEqual(named);
    },
  );

  it.each([...UNEXPLAINED, 'encoding_success'] as const)('has no %s where that is left out', async (name) => {
    const full: Received = {
      known: videoFields(
        Object.fromEntries([...UNEXPLAINED, 'encoding_success'].map((each) => [each, each])),
      ),
      unknown: { mood: 'good' },
    };
    const { select } = await published(
      liveFileWith(packageRow(101), videoRow(1, { ...full.known, extra: '{"mood":"good"}' })),
      { exclude: [name] },
    );
    const [row] = select('select other_fields from videos');
    expect(parsed(row?.['other_fields'])).toEqual(expected(full, [name]));
  });

  it.each(['extra', 'other_fields'])('is left out, or its unknown fields, by %s', async (name) => {
    const { select } = await published(
      liveFileWith(packageRow(101), videoRow(1, { cid: 'secret-1', extra: '{"mood":"secret-2"}' })),
      { exclude: [name] },
    );
    const text = JSON.stringify(select('select * from videos'));
    expect(text).not.toContain('secret-2');
    if (name === 'other_fields') expect(text).not.toContain('secret-1');
  });
});

function videoFields(fields: Partial<Record<Name, string | null>>): Record<Name, string | null> {
  const none = { cid: null, rate: null, drm_cid: null, opt: null, preloading: null, encoding_success: null };
  return { ...none, ...fields };
}
