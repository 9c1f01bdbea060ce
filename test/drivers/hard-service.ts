/** Videos and days that are hard to publish correctly. */
import { listDays } from '../../src/lib/days.ts';
import { storageRecord, videoRecord } from '../support/fixtures/service-responses.ts';

type Members = Record<string, unknown>;

export type HardService = ReturnType<typeof createHardService>;

const LARGEST = Number.MAX_SAFE_INTEGER;
const TEXTS = [
  'cid',
  'title',
  'series',
  'author',
  'content',
  'tag',
  'copyright',
  'rate',
  'cdate',
  'etc',
  'thumbnail_url',
  'thumbnail_sheet_url',
  'encoding_success',
  'drm_cid',
  'opt',
  'preloading',
];
const NUMBERS = ['duration', 'v_width', 'v_height', 'v_framerate', 'filesize'];
const all = (names: readonly string[], value: unknown): Members =>
  Object.fromEntries(names.map((name) => [name, value]));

export const LONG_TITLE = `${'가'.repeat(999)}🎬${'x'.repeat(1000)}`;
export const WILD_TITLE = `한국어 "따옴표" 'it''s' 👩‍👩‍👧‍👦 🇰🇷\r\nsecond line\ttab \u0001\u001b\u007f \\ % ? :name ; -- end`;

const VIDEOS: Record<number, [id: number, members: Members][]> = {
  101: [
    [1, {}],
    [2, { title: LONG_TITLE, filesize: 4_294_967_297 }],
    [3, { filesize: LARGEST, duration: LARGEST, v_width: LARGEST }],
    [4, { title: WILD_TITLE, etc: WILD_TITLE, tag: WILD_TITLE, cid: '0x00', rate: '12' }],
    [5, { ...all(TEXTS, null), ...all(NUMBERS, null) }],
    [6, { ...all(TEXTS, ''), ...all(NUMBERS, 0) }],
    [7, { title: 'goes and comes back', filesize: 3_221_225_472 }],
    [8, { title: 'goes', filesize: 3_221_225_472 }],
    [9, { cdate: 'yesterday', v_framerate: 23.976 }],
    [
      10,
      { cdate: '2026-02-30 10:00:00.0', v_framerate: 59.94005994005994, season: { no: 3, 점수: [1, null] } },
    ],
    [11, { cdate: '2024-02-29 23:59:59.123', duration: 1, v_framerate: 0.1 }],
    [12, { title: 'first', content: 'a long text, '.repeat(5000), filesize: 5_000_000_000 }],
    [13, { cdate: '2026-01-31 24:00:00.0', title: ' ', author: "'; drop table videos; --" }],
    [14, { cdate: '2026-01-31T12:00:00', opt: 'NULL', etc: 'null' }],
    [LARGEST - 1, { title: 'the last id that there can be' }],
  ],
  102: [1, 2, 3].map((id) => [id, { filesize: 3_221_225_472 + id, duration: 3_600_001 * id }]),
  103: [],
};

/** Days that the service omits, or returns wrong. */
const ODD_DAYS: Record<string, Members | null> = {
  '2026-03-03': null,
  '2026-03-04': { mov_org_size: 'many' },
  '2026-03-05': { image_size: null },
  '2026-03-07': { mov_org_size: LARGEST, encoder_size: LARGEST, ad_org_size: 1 },
  '2026-03-09': null,
  '2026-03-14': null,
};

export function createHardService() {
  const packages = new Map(Object.entries(VIDEOS).map(([id, list]) => [Number(id), new Map(list)]));
  const main = packages.get(101) ?? new Map<number, Members>();
  let round = 0;
  return {
    /** The records of a package by their ids. */
    videos: (packageId: number) => {
      const entries = [...(packages.get(packageId) ?? [])].sort(([one], [other]) => one - other);
      return entries.map(([id, members]) => videoRecord(id, members));
    },
    /** The records of storage from the first day to the last; some days have none. */
    days: (first: string, last: string) =>
      listDays({ from: first, to: last }).flatMap((day) => createDay(day, round)),
    /** Changes a video, removes two, and returns other figures for a booked day. */
    edit() {
      round++;
      main.set(12, { title: 'second', filesize: 6_000_000_000 });
      for (const id of [7, 8]) main.delete(id);
    },
    /** Changes it again; one of the two removed videos is back. */
    editAgain() {
      round++;
      main.set(12, { title: `round ${round}`, filesize: null });
      main.set(7, { title: 'is back', filesize: 3_221_225_473, etc: '' });
    },
  };
}

function createDay(day: string, round: number): Members[] {
  const odd = ODD_DAYS[day];
  if (odd === null) return [];
  const base = storageRecord(day, 1_000_000_000_000 + Number(day.slice(-2)));
  const later = day === '2026-03-06' ? { mov_org_cnt: round, encoder_cnt: round } : {};
  return [{ ...base, image_count: round, ...later, ...odd }];
}
