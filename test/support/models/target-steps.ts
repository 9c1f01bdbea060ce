/** Random steps of a warehouse that is published and loaded into a target. */
import fc from 'fast-check';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { video } from '../fixtures/package-walker.ts';

export const ACCOUNTS = ['main', 'second', 'a_b'] as const;
export const PACKAGES = [101, 102] as const;

/** A change of a warehouse, or of the config. Accounts and packages are numbers into the lists above. */
export type TargetStep =
  | { kind: 'walk'; account: number; package: number; shown: readonly ShownVideo[] }
  | { kind: 'stop'; account: number; package: number; shown: readonly ShownVideo[] }
  | { kind: 'days'; account: number; live: number | null; past: readonly PastDay[] }
  | { kind: 'correct'; account: number; day: number; figure: number }
  | { kind: 'config'; packages: readonly boolean[] }
  | { kind: 'forget'; account: number; package: number | null }
  | { kind: 'rename'; account: number }
  | { kind: 'prune'; runsDays: number }
  | { kind: 'options'; exclude: readonly string[]; durationUnit: 'ms' | 's' }
  | { kind: 'wait'; ms: number }
  | { kind: 'load'; again: boolean };

/** A video as the list has it. */
export interface ShownVideo {
  id: number;
  members: Record<string, unknown>;
}

/** What is known of a day that is over: it is booked, or not. */
export interface PastDay {
  /** Days before today, from 1. */
  ago: number;
  known: 'booked' | 'unconfirmed' | 'missed' | 'refused';
  figure: number;
}

const TEXTS = [
  ...[
    '',
    ' ',
    'plain',
    'NULL',
    '\\N',
    '\\.',
    '\n\\.\n',
    '\\.\n',
    'a\r\nb',
    '\r',
    '"',
    '""',
    `'`,
    ',',
    '","',
    '"\n"',
  ],
  ...[
    '\0',
    'a\0b\0',
    '\u{1F600}\u{1F468}\u200D\u{1F469}',
    '\u202e\u00e9e\u0301',
    '\t|;',
    '한국어',
    '\uFFFD',
    '\uFEFF',
  ],
  ...['x'.repeat(10_000), '\\', '\\\\', '\b\f\v\u001b', '{"a": [1]}', '$$', ';DROP TABLE videos;'],
];
const TAGS = [
  ...[
    'a,b;c',
    ',;,',
    ' a , A ,a',
    'y'.repeat(10_000) + ',z',
    '"q",\'s\'',
    'tab\t,line\nbreak',
    '\0,\uFFFD',
    '\\.,\\N',
  ],
];
const NUMBERS = [
  0,
  1,
  -1,
  60_000,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2 ** 31,
  -(2 ** 31),
  999,
];
const DOUBLES = [0, -0, 0.1, 29.97, 1e-300, 5e-324, 1.7976931348623157e308, -1e21, 1 / 3, 60];
const TIMES = [
  ...[
    '0000-01-01 00:00:00.0',
    '0001-01-01 00:00:00.0',
    '9999-12-31 23:59:59.9',
    '2026-02-30 00:00:00',
    '',
    'yesterday',
  ],
  ...[
    '2024-02-29 12:00:00.5',
    '2026-03-01 00:00:00',
    '1969-12-31 23:59:59.0',
    '2026-01-31T12:00:00Z',
    '24:00',
  ],
];

/** Any character, without the tables that fast-check makes for units of its own, which takes seconds. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<string | null>(null, ...TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: character, maxLength: 20 }) },
);
const integer = fc.oneof(fc.constantFrom<number | null>(null, ...NUMBERS), fc.maxSafeInteger());
const size = fc.oneof(fc.constantFrom(null, 0, 1, 2 ** 40, -5), fc.integer({ min: -1e12, max: 1e12 }));

const members = fc.record(
  {
    ...{ title: text, series: text, author: text, content: text, copyright: text, etc: text, cid: text },
    ...{ access_key: text, opt: text, thumbnail_url: text, rate: text },
    tag: fc.oneof(text, fc.constantFrom(...TAGS)),
    cdate: fc.constantFrom<string | null>(null, ...TIMES),
    duration: size,
    filesize: size,
    v_width: integer,
    v_height: integer,
    v_framerate: fc.oneof(
      fc.constantFrom<number | null>(null, ...DOUBLES),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
    undocumented: text,
  },
  { requiredKeys: [] },
);

/** Videos that the service can show, with and without changes. */
const shownVideo: fc.Arbitrary<ShownVideo> = fc
  .record({
    id: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 6 }) },
      fc.constant(Number.MAX_SAFE_INTEGER),
    ),
    members: fc.oneof(fc.constant({}), fc.constant({ title: 'b' }), members),
  })
  .filter(({ id, members: given }) => isStorable(id, given));

function isStorable(id: number, given: Record<string, unknown>): boolean {
  try {
    return video(id, given).id === id;
  } catch {
    return false;
  }
}

const shown = fc.uniqueArray(shownVideo, { maxLength: 6, selector: ({ id }) => id });
// one package is walked again and again, so that its videos have many states
const account = fc.constantFrom(0, 0, 0, 0, 1, 2);
const onePackage = fc.constantFrom(0, 0, 0, 1);
const figure = fc.oneof(fc.nat(3), fc.constant(2 ** 50));

const pastDay: fc.Arbitrary<PastDay> = fc.record({
  ago: fc.integer({ min: 1, max: 40 }),
  known: fc.constantFrom(
    'booked' as const,
    'booked' as const,
    'unconfirmed' as const,
    'missed' as const,
    'refused' as const,
  ),
  figure,
});

const step: fc.Arbitrary<TargetStep> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({ kind: fc.constant('walk' as const), account, package: onePackage, shown }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('stop' as const), account, package: onePackage, shown }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('days' as const),
      account,
      live: fc.option(figure),
      past: fc.array(pastDay, { maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('correct' as const), account, day: fc.nat(5), figure }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('config' as const),
      packages: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('forget' as const),
      account,
      package: fc.option(onePackage, { freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const), account }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('prune' as const), runsDays: fc.constantFrom(0.01, 1, 20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('options' as const),
      exclude: fc.subarray(['access_key', 'title', 'tag', 'extra', 'created_at']),
      durationUnit: fc.constantFrom('ms' as const, 's' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.oneof(fc.nat(2 * HOUR_MS), fc.nat(24 * HOUR_MS), fc.nat(40 * 24 * HOUR_MS)),
    }),
  },
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('load' as const), again: fc.boolean() }) },
);

/** A history of a warehouse and of its loads. It ends with a load. */
export const targetHistory: fc.Arbitrary<readonly TargetStep[]> = fc
  .array(step, { minLength: 6, maxLength: 30, size: 'max' })
  .map((steps) => [...steps, { kind: 'load', again: true } as const]);
