import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/sqlite.ts';
import { readRows, type Row } from '../support/fixtures/live-file.ts';
import {
  QUESTIONS_PATH,
  readQuestions,
  readQuestionsPage,
  SQL_AND_ANSWER,
} from '../support/fixtures/questions-page.ts';
import {
  makeSandboxHistory,
  removalsIn,
  UNSERVED_DAYS,
  type SandboxHistory,
} from '../support/models/sandbox-history.ts';

const QUESTIONS = readQuestions();

let history: SandboxHistory;
beforeAll(async () => {
  history = await makeSandboxHistory();
});
afterAll(() => history.close());

function answerTo(heading: string, change = (sql: string) => sql): Row[] {
  const sql = QUESTIONS.get(heading) ?? expect.fail(`${QUESTIONS_PATH} has no SQL under "${heading}"`);
  return readRows(history.published, change(sql));
}

/** The page shows the first rows of a long answer. */
const withoutLimit = (sql: string) => sql.replace(/^limit .*\n/m, '');

type Value = string | number | bigint | null;

/** The answer as a Markdown table. */
function formatTable(text: string): string {
  const db = new Database(history.published, { readonly: true });
  const statement = db.prepare(text).safeIntegers().raw(); // an INTEGER is a bigint, a REAL a number
  const columns = statement.columns().map(({ name }) => name);
  const rows = statement.all() as Value[][];
  db.close();
  const line = (cells: readonly Value[]) => `| ${cells.map(formatCell).join(' | ')} |\n`;
  return [columns, columns.map(() => '---'), ...rows].map(line).join('');
}

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
    const options = { ...(await resolveConfig(QUESTIONS_PATH)), filepath: QUESTIONS_PATH };
    await expect(await format(answered, options)).toMatchFileSnapshot(`../../${QUESTIONS_PATH}`);
  });

  it.each([...QUESTIONS])('uses the time of the file, and no syntax that SQLite 3.31 lacks: %s', (_, sql) => {
    const newer =
      /->|\b(unixepoch|iif|format|concat|concat_ws|string_agg|timediff|octet_length|returning|materialized)\b|\bis (not )?distinct from\b|\b(right|full) (outer )?join\b/i;
    expect(sql).not.toMatch(newer);
    expect(sql).not.toMatch(/'now'|current_(date|time|timestamp)/i);
  });
});

describe('what is easily written wrong', () => {
  const queries = [...readQuestionsPage().matchAll(/`(select [^`]+)` +\| `(select [^`]+)` +\|\n/g)];

  it('answers, and so does what is right', () => {
    expect(queries.length).toBeGreaterThan(5);
    for (const [, wrong = '', right = ''] of queries) {
      expect(readRows(history.published, wrong), wrong).not.toEqual([]);
      expect(readRows(history.published, right), right).not.toEqual([]);
    }
  });
});

/** Computed from the lists of the service, without the SQL of the page. */
describe('the answer', () => {
  it('on removals has those in the lists of seven days, and whether they are still removed', () => {
    const removals = removalsIn(history.steps)
      .filter(({ removed }) => removed >= '2026-03-05 15:00') // 00:00 in Seoul
      .map(({ isBack, ...removal }) => ({ ...removal, still: isBack ? 'no' : 'yes' }));
    const byId = (one: { id: number }, other: { id: number }) => one.id - other.id;
    const answer = answerTo('What was removed last week?', withoutLimit).map((row) => ({
      package_name: row.package_name,
      id: Number(row.video_id),
      removed: String(row.removed_at).slice(0, 16),
      still: row.still_removed,
    }));
    expect(removals.map(({ still }) => still)).toEqual(expect.arrayContaining(['yes', 'no']));
    expect(answer.toSorted(byId)).toEqual(removals.toSorted(byId));
  });

  it('on the catalogue of a date has the list of that day, for every day', () => {
    for (const step of history.steps.filter(({ at, mode }) => mode === 'full' && at < '2026-03-12')) {
      const answer = answerTo('What was in the catalogue on a date?', (sql) =>
        withoutLimit(sql).replace(/\(select distinct day .*\)/, `'${step.at.slice(0, 10)}'`),
      );
      const listed = step.listed.map(({ package_name, video }) => [package_name, video.id, video.title]);
      const rows = answer.map(({ package_name, video_id, title }) => [package_name, video_id, title]);
      expect(rows, step.at).toEqual(listed);
    }
  });

  it('on days never served has those that the service omits', () => {
    expect(answerTo('Which days did the service never serve?').map(({ day }) => day)).toEqual(UNSERVED_DAYS);
  });
});
