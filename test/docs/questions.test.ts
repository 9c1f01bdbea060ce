import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { Database } from '../../src/database/sqlite.ts';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openExports } from '../../src/publishing/export.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { editsIn, sumGib, listedAt, formatMinute, removalsIn } from '../support/models/history-truth.ts';
import { readRows, type Row } from '../support/fixtures/live-file.ts';
import {
  QUESTIONS_PATH,
  readQuestions,
  readQuestionsPage,
  SQL_AND_ANSWER,
} from '../support/fixtures/questions-page.ts';
import { makeSandboxHistory, UNSERVED_DAYS, type SandboxHistory } from '../support/models/sandbox-history.ts';

const QUESTIONS = readQuestions();

let history: SandboxHistory;
beforeAll(async () => {
  history = await makeSandboxHistory();
});
afterAll(() => history.close());

const select = (text: string): Row[] => readRows(history.published, text);

function answerTo(heading: string): Row[] {
  const text = QUESTIONS.get(heading);
  if (text === undefined) throw new Error(`${QUESTIONS_PATH} has no SQL under "${heading}"`);
  return select(text);
}

type Value = string | number | bigint | null;

/** The answer as a Markdown table. */
function formatTable(text: string): string {
  const db = new Database(history.published, { readonly: true });
  try {
    const statement = db.prepare(text).safeIntegers().raw(); // an INTEGER is a bigint, a REAL a number
    const columns = statement.columns().map(({ name }) => name);
    const rows = statement.all() as Value[][];
    const line = (cells: readonly Value[]) => `| ${cells.map(formatCell).join(' | ')} |\n`;
    return [columns, columns.map(() => '---'), ...rows].map(line).join('');
  } finally {
    db.close();
  }
}

/** Exports every table and view to Parquet, and opens a DuckDB in which they have their names. */
async function openInDuckDb(file: string) {
  const folder = temporaryFolder();
  const db = await (await DuckDBInstance.create()).connect();
  await db.run(`set timezone = 'UTC'`);
  const exports = openExports(file);
  for (const name of exports.tables) {
    const path = join(folder, `${name}.parquet`);
    writeFileSync(path, Buffer.concat([...exports.open(name, null).parquet()]));
    await db.run(`create view "${name}" as select * from '${path}'`);
  }
  exports.close();
  return db;
}

/** In one form: a time to the second, a number as SQLite has it. */
const toCell = (value: DuckDBValue): Value =>
  value === null
    ? null
    : Number.isNaN(Number(value))
      ? value.toString().replace(/\.0+$|\+00$/, '')
      : Number(value);

/** As `sqlite3` prints it, NULL empty; Markdown syntax is escaped. */
function formatCell(value: Value): string {
  if (Number.isInteger(value)) return `${String(value)}.0`;
  return String(value ?? '').replaceAll(/[\\<|]/g, '\\$&');
}

describe(QUESTIONS_PATH, () => {
  it('has the answer of SQLite to each SQL (after a change: npx vitest run test/docs/questions.test.ts -u)', async () => {
    const answered = readQuestionsPage().replaceAll(
      SQL_AND_ANSWER,
      (_all, sql: string, text: string) => `${sql}${formatTable(text)}\n`,
    );
    const formatted = await format(answered, {
      ...(await resolveConfig(QUESTIONS_PATH)),
      filepath: QUESTIONS_PATH,
    });
    await expect(formatted).toMatchFileSnapshot(`../../${QUESTIONS_PATH}`);
  });

  it('has an answer of one to eight rows to each of sixteen questions, of at most eight lines of SQL', () => {
    expect(QUESTIONS.size).toBe(16);
    const counts = [...QUESTIONS.keys()].map((heading) => [heading, answerTo(heading).length] as const);
    expect(counts.filter(([, count]) => count < 1 || count > 8)).toEqual([]);
    const long = [...QUESTIONS].filter(([, sql]) => sql.trim().split('\n').length > 8);
    expect(long).toEqual([]);
  });

  it('has the same answers in DuckDB, over an export of all tables to Parquet', async () => {
    const db = await openInDuckDb(history.published);
    for (const [heading, sql] of QUESTIONS) {
      const rows = (await db.runAndReadAll(sql)).getRows();
      const expected = answerTo(heading).map((row) => Object.values(row).map(toCell));
      expect(
        rows.map((row) => row.map(toCell)),
        heading,
      ).toEqual(expected);
    }
  });

  it.each([...QUESTIONS])('uses no syntax that SQLite 3.31 lacks: %s', (_question, text) => {
    const newer =
      /->|\b(unixepoch|iif|format|concat|concat_ws|string_agg|timediff|octet_length|returning|materialized)\b|\bis (not )?distinct from\b|\b(right|full) (outer )?join\b/i;
    expect(text).not.toMatch(newer);
  });

  it.each([...QUESTIONS])('uses the time of the file, never the current time: %s', (_question, text) => {
    expect(text).not.toMatch(/'now'|current_(date|time|timestamp)/i);
  });
});

/** Computed from the lists of the service and the live file, without the SQL of the page. */
describe('the answer', () => {
  const nowListed = () => listedAt(history.steps.at(-1) ?? fail());
  const fail = (): never => expect.fail('the history has no such run');
  const rounded = (figure: number, digits: number) => Number(figure.toFixed(digits));

  it('on growth by month has the last booked day of each month', () => {
    const days = readRows(
      history.live,
      `select date, mov_org_size + encoder_size + ad_org_size + ad_encoder_size + image_size as bytes
       from storage_day where state = 'booked' order by date`,
    ).map(({ date, bytes }) => ({ day: String(date), gib: Number(bytes) / 2 ** 30 }));
    const last = new Map(days.map((day) => [day.day.slice(0, 7), day])); // the last one of each month remains
    const levels = [...last.values()];
    expect(answerTo('How much did storage grow, month by month?')).toEqual(
      levels.map(({ day, gib }, index) => ({
        account: 'main',
        month_start: `${day.slice(0, 7)}-01`,
        last_day: day,
        gib: rounded(gib, 1),
        growth_gib: index === 0 ? null : rounded(gib - (levels[index - 1]?.gib ?? NaN), 1),
      })),
    );
  });

  it('on removals has those in the lists of seven days, and whether they are still removed', () => {
    const removals = removalsIn(history.steps)
      .filter(({ removed }) => removed >= '2026-03-05 15:00') // 00:00 in Seoul
      .map(({ returned, ...removal }) => ({ ...removal, still: returned === null ? 'yes' : 'no' }));
    const byId = (one: { id: number }, other: { id: number }) => one.id - other.id;
    const answer = answerTo('What was removed last week?').map((row) => ({
      package_name: row.package_name,
      id: Number(row.video_id),
      removed: String(row.removed_at).slice(0, 16),
      still: row.still_removed,
    }));
    expect(removals.map(({ still }) => still)).toEqual(expect.arrayContaining(['yes', 'no']));
    expect(answer.toSorted(byId)).toEqual(removals.toSorted(byId));
    const byDay = answerTo('How many videos were removed, day by day?');
    expect(byDay.reduce((sum, { removed }) => sum + Number(removed), 0)).toBe(removals.length);
  });

  it('on edited titles has those that differ from list to list', () => {
    const edits = editsIn(history.steps);
    const recent = edits.filter(({ seen }) => seen >= '2026-03-10 15:00'); // yesterday 00:00 in Seoul
    expect(recent.length).toBeLessThan(edits.length);
    const answer = answerTo('Which titles were edited since yesterday?').map(
      ({ package_name, video_id, title_before, title_after, changed_at }) =>
        [package_name, video_id, title_before, title_after, String(changed_at).slice(0, 16)] as const,
    );
    expect(new Set(answer)).toEqual(
      new Set(recent.map((edit) => [edit.package_name, edit.id, edit.old_title, edit.new_title, edit.seen])),
    );
  });

  it('on encoding has every listed video without a Y', () => {
    const failed = nowListed().filter(({ video }) => video.encoding_success !== 'Y');
    const ids = answerTo('Which videos failed to encode?').map(({ video_id }) => Number(video_id));
    expect(ids.toSorted()).toEqual(failed.map(({ video }) => video.id).toSorted());
  });

  it('on series has the sums over the lists', () => {
    const listed = nowListed();
    const names = new Set(listed.map(({ video }) => video.series).filter((name) => name));
    const sums = [...names].map((series) => {
      const videos = listed.filter(({ video }) => video.series === series);
      return { series, videos: videos.length, gib: rounded(sumGib(videos), 1) };
    });
    const largest = sums.toSorted((one, other) => other.gib - one.gib).slice(0, 5);
    expect(answerTo('Which series are the largest?')).toMatchObject(largest);
  });

  it('on duplicates has the videos that are listed in both packages', () => {
    const listed = nowListed();
    const twice = listed.filter(
      ({ package_name, video }) =>
        package_name === 'Lectures' &&
        listed.some(
          (other) => other.package_name !== package_name && other.video.access_key === video.access_key,
        ),
    );
    const answer = answerTo('Which videos are in more than one package?');
    expect(answer.map(({ title }) => title).toSorted()).toEqual(
      twice.map(({ video }) => video.title).toSorted(),
    );
    expect(answer.map(({ ids }) => ids)).toEqual(expect.arrayContaining([1, 2]));
  });

  it('on thumbnail sheets has the newest of all without one', () => {
    const without = nowListed().filter(({ video }) => video.thumbnail_sheet_url === '');
    const newest = without.toSorted(
      (one, other) => Date.parse(other.video.cdate ?? '') - Date.parse(one.video.cdate ?? ''),
    );
    const answer = answerTo('Which videos have no thumbnail sheet?');
    expect(answer.map(({ video_id }) => video_id)).toEqual(newest.slice(0, 8).map(({ video }) => video.id));
    expect(answer[0]).toMatchObject({ without_sheet: without.length });
  });

  it('on days never served has those that the service omits', () => {
    const answer = answerTo('Which days did the service never serve?');
    expect(answer.map(({ day }) => day)).toEqual(UNSERVED_DAYS);
  });

  it('on the catalogue of a date has the list of that day, for every day', () => {
    const text = QUESTIONS.get('What was in the catalogue on a date?') ?? '';
    const ofAll = text.replace(/^.* like .*\n/m, '');
    for (const step of history.steps.filter(({ at, mode }) => mode === 'full' && at < '2026-03-12')) {
      const answer = select(ofAll.replace('2026-03-05', step.at.slice(0, 10)));
      const list = listedAt(step).map(({ package_name, video }) => [package_name, video.id, video.title]);
      expect(
        answer.map(({ package_name, video_id, title }) => [package_name, video_id, title]),
        formatMinute(step),
      ).toEqual(list);
    }
  });

  it('on bytes and videos has the sizes of the lists, and those of the previous day where no run was made', () => {
    const answer = answerTo('Do bytes grow faster than videos?');
    for (const { day, videos, gib, gib_a_video } of answer) {
      const step = history.steps.findLast(({ at }) => at.slice(0, 10) <= String(day)) ?? fail();
      const listed = listedAt(step);
      expect([videos, gib, gib_a_video], String(day)).toEqual([
        listed.length,
        rounded(sumGib(listed), 1),
        rounded(sumGib(listed) / listed.length, 3),
      ]);
    }
    const missing = answer.filter(({ new_storage_gib }) => new_storage_gib === null).map(({ day }) => day);
    expect(missing).toEqual(['2026-03-10', '2026-03-11']); // the day that is not served, and the next one
  });

  it('on tags counts each tag of each present video', () => {
    const counts = new Map<string, number>();
    for (const { tag } of readRows(history.live, 'select tag from video where removed_at is null'))
      for (const each of new Set(
        String(tag ?? '')
          .split(',')
          .map((part) => part.trim()),
      ))
        if (each !== '') counts.set(each, (counts.get(each) ?? 0) + 1);
    const answer = answerTo('Which tags are used most?');
    expect(answer.map(({ tag, videos }) => [tag, videos])).toEqual(
      [...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).slice(0, 5),
    );
  });

  it('on the longest walks begins with the day on which the service was slow', () => {
    const [first, ...others] = answerTo('Which walks took longest?');
    expect(first).toMatchObject({ package_name: 'Lectures', mode: 'full' });
    expect(first?.started_at).toMatch(/^2026-03-06 01:00/);
    for (const { duration_seconds: seconds } of others)
      expect(Number(seconds)).toBeLessThan(Number(first?.duration_seconds));
  });

  it('on freshness has the times of the last runs', () => {
    const times = answerTo('How fresh is all this?').map(({ part, as_of }) => [
      part,
      String(as_of).slice(0, 16),
    ]);
    expect(times).toEqual([
      ['all videos of main/101', '2026-03-12 01:00'],
      ['all videos of main/102', '2026-03-12 01:00'],
      ['storage of main', '2026-03-12 05:00'],
    ]);
  });
});
