/** Random histories: a real live file is changed, published and loaded; the target must equal the published file. */
import fc from 'fast-check';
import { createCalendar } from '../../../src/lib/calendar.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { addDays } from '../../../src/lib/days.ts';
import type { LoadReport } from '../../../src/publishing/targets/load-report.ts';
import type { PublishRequest } from '../../../src/publishing/publish-request.ts';
import { video } from '../fixtures/package-walker.ts';
import type { openSite, SiteLoad } from '../fixtures/site.ts';
import { dayRow } from '../fixtures/storage-days.ts';
import { steps, type Step } from './steps.ts';
import {
  listTargetPackages,
  forgetRows,
  hasAccount,
  renameAccount,
} from '../../../src/warehouse/accounts.ts';
import { readDayHistory, storeDays, correctDay } from '../../../src/warehouse/store-days.ts';
import { transact } from '../../../src/database/transaction.ts';
import { registerPackages } from '../../../src/warehouse/packages.ts';
import { beginRun } from '../../../src/warehouse/runs.ts';

const PACKAGES = [101, 102];

/** A site whose target can be compared with its published file. */
export interface TargetSite extends Omit<ReturnType<typeof openSite>, 'load' | 'ship' | 'config'> {
  load: (options: SiteLoad) => Promise<Record<string, LoadReport>>;
  /** Where the target does not have what the published file has; empty if it does. */
  differences: () => Promise<string[]> | string[];
  /** A number, or several, that each write changes. */
  countWrites: () => unknown;
}

interface History {
  site: TargetSite;
  /** The present name of each account; the last name but one by it. */
  names: string[];
  was: Record<string, string>;
  options: Partial<PublishRequest>;
}

const TEXTS = [
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
  '\0',
  'a\0b\0',
  '\u{1F600}\u{1F468}\u200D\u{1F469}',
  '\u202e\u00e9e\u0301',
  '\t|;',
  '한국어',
  '\uFFFD',
  '\uFEFF',
  'x'.repeat(10_000),
  '\\',
  '\\\\',
  '\b\f\v\u001b',
  '{"a": [1]}',
  '$$',
  ';DROP TABLE videos;',
];
const TAGS = [
  'a,b;c',
  ',;,',
  ' a , A ,a',
  'y'.repeat(10_000) + ',z',
  '"q",\'s\'',
  'tab\t,line\nbreak',
  '\0,\uFFFD',
  '\\.,\\N',
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
  '0000-01-01 00:00:00.0',
  '0001-01-01 00:00:00.0',
  '9999-12-31 23:59:59.9',
  '2026-02-30 00:00:00',
  '',
  '2024-02-29 12:00:00.5',
  '2026-03-01 00:00:00',
  '1969-12-31 23:59:59.0',
  '2026-01-31T12:00:00Z',
  '24:00',
];
/** The text of a run that is hard to load. */
const HARD = 'line\r\n\\.\n"quoted",\0';

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
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const TEXT_FIELDS =
  'title series author content copyright etc cid access_key opt thumbnail_url rate undocumented';

const members = fc.record(
  {
    ...Object.fromEntries(TEXT_FIELDS.split(' ').map((name) => [name, text])),
    tag: fc.oneof(text, fc.constantFrom(...TAGS)),
    cdate: fc.constantFrom<string | null>(null, ...TIMES),
    duration: size,
    filesize: size,
    v_width: integer,
    v_height: integer,
    v_framerate: fc.oneof(fc.constantFrom<number | null>(null, ...DOUBLES), double),
  },
  { requiredKeys: [] },
);

/** A video that the service can show, with and without changes. */
const shownVideo = fc
  .record({
    id: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 6 }) },
      fc.constant(Number.MAX_SAFE_INTEGER),
    ),
    members: fc.oneof(fc.constant({}), fc.constant({ title: 'b' }), members),
  })
  .filter(({ id, members: given }) => {
    try {
      return video(id, given).id === id;
    } catch {
      return false;
    }
  });
const shown = fc.uniqueArray(shownVideo, { maxLength: 6, selector: ({ id }) => id });
// one package is walked again and again, so that its videos have many states
const account = fc.constantFrom(0, 0, 0, 0, 1, 2);
const packageId = fc.constantFrom(101, 101, 101, 102);
const figure = fc.oneof(fc.nat(3), fc.constant(2 ** 50));
const pastDay = fc.record({
  /** Days before today. */
  ago: fc.integer({ min: 1, max: 40 }),
  known: fc.constantFrom('booked', 'booked', 'unconfirmed', 'missed', 'refused'),
  figure,
});

const walks = (name: string, isStopped: boolean) =>
  steps(name, { account, packageId, shown }, async ({ site, names }: History, given) => {
    const key = { account: names[given.account] ?? '', packageId: given.packageId };
    if (!listTargetPackages(site.warehouse.db, key).some(({ isRetired }) => isRetired === 0)) return;
    await site.walkVideos(
      given.shown.map((each) => video(each.id, each.members)),
      key,
      isStopped,
    );
  });

const days = steps(
  'days',
  {
    account,
    live: fc.option(figure),
    past: fc.uniqueArray(pastDay, { maxLength: 4, selector: ({ ago }) => ago }),
  },
  ({ site: { warehouse, clock }, names }: History, given) => {
    const name = names[given.account] ?? '';
    const today = createCalendar('Asia/Seoul').dayAt(clock.now());
    const { booked } = readDayHistory(warehouse.db, name);
    const all = given.past.map(({ ago, ...day }) => ({
      ...day,
      row: dayRow(addDays(today, -ago), day.figure),
    }));
    const of = (known: string) => all.filter((day) => day.known === known).map(({ row }) => row);
    const open = (known: string) => of(known).filter(({ date }) => !booked.has(date));
    transact(warehouse.db, (tx) =>
      storeDays(tx, {
        account: name,
        answeredAt: clock.now(),
        drift: [],
        live: given.live === null ? null : dayRow(today, given.live),
        past: of('booked'),
        unconfirmed: open('unconfirmed').map((row) => ({ row, reason: 'all zero' })),
        missed: open('missed').map(({ date }) => ({
          date,
          reason: 'missing',
          requestedDays: 1,
          isGivenUp: false,
        })),
        refused: of('refused').map(({ date }) => ({ date, reason: 'a "bad",\n\0 one', raw: '{}' })),
      }),
    );
  },
);

const corrections = steps(
  'correct',
  { account, day: fc.nat(5), figure },
  ({ site, names }: History, given) => {
    const name = names[given.account] ?? '';
    const booked = [...readDayHistory(site.warehouse.db, name).booked];
    const date = booked[given.day % Math.max(booked.length, 1)];
    if (date === undefined) return;
    const acceptedAt = site.clock.now();
    transact(site.warehouse.db, (tx) =>
      correctDay(tx, {
        account: name,
        row: dayRow(date, given.figure),
        acceptedAt,
        reason: 'it "was",\\.',
      }),
    );
  },
);

/** Puts these packages of each account into the config. */
function register({ site, names }: History, isIn: (account: string, packageId: number) => boolean): void {
  const accounts = names.map((name) => ({
    name,
    packages: PACKAGES.filter((id) => isIn(name, id)).map((id) => ({ id, name: null })),
  }));
  const configured = accounts.filter(({ packages }) => packages.length > 0);
  transact(site.warehouse.db, (tx) => registerPackages(tx, configured, site.clock.now()));
}

const configs = steps(
  'config',
  { isIn: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }) },
  (history: History, { isIn }) =>
    register(history, (name, id) => isIn[2 * history.names.indexOf(name) + PACKAGES.indexOf(id)] ?? false),
);

/** What is forgotten was retired before, and comes back with the next change of the config. */
const forgettings = steps(
  'forget',
  { account, only: fc.option(packageId, { freq: 3 }) },
  (history: History, given) => {
    const { site, names } = history;
    const key = { account: names[given.account] ?? '', packageId: given.only };
    const active = (account: string) =>
      listTargetPackages(site.warehouse.db, { account, packageId: null }).filter(
        ({ isRetired }) => isRetired === 0,
      );
    register(history, (name, id) => {
      const isForgotten = name === key.account && (key.packageId === null || key.packageId === id);
      return !isForgotten && active(name).some((each) => each.packageId === id);
    });
    transact(site.warehouse.db, (tx) => forgetRows(tx, key, site.clock.now()));
  },
);

let renames = 0;
const renamings = steps('rename', { account }, ({ site, names, was }: History, given) => {
  const [from = '', to] = [names[given.account], `renamed-${++renames}`];
  if (hasAccount(site.warehouse.db, from)) transact(site.warehouse.db, (tx) => renameAccount(tx, from, to));
  was[to] = from;
  names[given.account] = to;
});

const prunings = steps(
  'prune',
  { runsDays: fc.constantFrom(0.01, 1, 20) },
  ({ site }: History, { runsDays }) => {
    const run = { trigger: 'schedule', mode: 'quick', scope: 'a "b"\n', origin: null } as const;
    const runId = transact(site.warehouse.db, (tx) => beginRun(tx, { ...run, now: site.clock.now() }));
    site.finishRun(runId, { status: 'partial', error: HARD, retention: { requestsDays: 1, runsDays } });
  },
);

const choices = steps(
  'publish',
  {
    exclude: fc.subarray(['access_key', 'title', 'tag', 'extra', 'created_at']),
    durationUnit: fc.constantFrom('ms' as const, 's' as const),
  },
  (history: History, options) => void (history.options = options),
);

const waits = steps(
  'wait',
  { ms: fc.oneof(...[2, 24, 40 * 24].map((hours) => fc.nat(hours * HOUR_MS))) },
  ({ site }: History, { ms }) => site.clock.advance(ms),
);

/** Publishes, loads and compares; `again`: a second load must write nothing. Returns what is wrong. */
async function load({ site, names, was, options }: History, again: boolean): Promise<string[]> {
  await site.publish({ exclude: [], ...options });
  const first = Object.values(await site.load({ accounts: names, was, isVerified: true }));
  const wrong = first.filter(({ outcome }) => outcome === 'failed' || outcome === 'refused');
  if (wrong.length > 0) return wrong.map((result) => JSON.stringify(result));
  const differences = [...first.flatMap((result) => result.differences ?? []), ...(await site.differences())];
  if (differences.length > 0 || !again) return differences;
  const before = await site.countWrites();
  const replayed = Object.values(await site.load({ accounts: names, was }));
  const after = await site.countWrites();
  const changed = replayed.filter(({ outcome, rows }) => outcome !== 'unchanged' || rows > 0);
  const isWritten = JSON.stringify(before) !== JSON.stringify(after);
  return changed.length > 0 || isWritten
    ? [`a second load: ${JSON.stringify({ before, after, changed })}`]
    : [];
}

const loads = steps('load', { again: fc.boolean() }, (history: History, { again }) => load(history, again));

const step: fc.Arbitrary<Step<History>> = fc.oneof(
  { weight: 14, arbitrary: walks('walk', false) },
  { weight: 9, arbitrary: loads },
  { weight: 4, arbitrary: days },
  { weight: 3, arbitrary: waits },
  { weight: 2, arbitrary: corrections },
  ...[walks('stop', true), configs, forgettings, renamings, prunings, choices].map((arbitrary) => ({
    weight: 1,
    arbitrary,
  })),
);

/** A history of a warehouse and of its loads. */
export const targetHistory = fc.array(step, { minLength: 6, maxLength: 30, size: 'max' });

/** Runs a history, and a load at its end; returns what went wrong as texts, empty if nothing did. */
export async function runTargetHistory(all: readonly Step<History>[], site: TargetSite): Promise<string[]> {
  const history: History = { site, names: ['main', 'second', 'a_b'], was: {}, options: {} };
  register(history, () => true);
  for (const each of all) {
    site.clock.advance(1000);
    const wrong = await each.act(history);
    if (Array.isArray(wrong) && wrong.length > 0) return wrong as string[];
  }
  return load(history, true);
}
