import { describe, expect, it, onTestFinished } from 'vitest';
import { openAnswers } from '../../src/web/answers/answers.ts';
import { published } from '../support/fixtures/published-file.ts';
import { liveFileToServe } from '../support/servers/open-web-server.ts';

const question = (sql: string) => ({ slug: 'a-question', heading: '', text: '', sql, notes: '' });
const numbers = (count: number) =>
  question(
    `with recursive n(i) as (select 1 union all select i + 1 from n limit ${count}) select i, i / 4.0 as r from n`,
  );

const { signal } = new AbortController();
const A_MINUTE = 60_000;

async function open() {
  const { file } = await published(liveFileToServe());
  const answers = openAnswers(file);
  onTestFinished(() => answers.close());
  return answers;
}

describe('an answer', () => {
  it('has two hundred rows at most, and the reals of a column with as many decimals', async () => {
    const answers = await open();
    const found = await answers.find(numbers(1_000), A_MINUTE);
    expect(found).toMatchObject({
      answer: { columns: ['i', 'r'], isNumeric: [true, true], more: 800, isTooLarge: false },
    });
    const rows = (found as { answer: { rows: string[][] } }).answer.rows;
    expect([rows.length, rows[0], rows[3]]).toEqual([200, ['1', '0.25'], ['4', '1.00']]);
    expect(await answers.writeCsv(numbers(4), signal)).toBe('i,r\n1,0.25\n2,0.5\n3,0.75\n4,1\n');
  });

  it('is too large with more than a hundred thousand rows, or with more text than fits', async () => {
    const answers = await open();
    expect(await answers.writeCsv(numbers(100_000), signal)).toMatch(/\n100000,25000\n$/);
    expect(await answers.writeCsv(numbers(100_001), signal)).toBeNull();
    expect(await answers.find(numbers(100_001), A_MINUTE)).toMatchObject({ answer: { isTooLarge: true } });
    const long = question(`with recursive n(i) as (select 1 union all select i + 1 from n limit 400)
      select printf('%.*c', 100000, 'x') as text from n`);
    expect(await answers.writeCsv(long, signal)).toBeNull();
  });

  it('that is late is there for a later request', async () => {
    const answers = await open();
    expect(await answers.find(numbers(100_000), 0)).toBe('late'); // the thread has not started yet
    expect(await answers.find(numbers(100_000), A_MINUTE)).toHaveProperty('answer');
  });

  it('of SQL that would write, or that fails in the middle, is a problem', async () => {
    const answers = await open();
    expect(await answers.find(question('delete from videos'), A_MINUTE)).toMatchObject({
      problem: expect.stringMatching(/would change something|readonly/) as string,
    });
    expect(await answers.writeCsv(question("select json('{')"), signal)).toBeNull();
  });
});
