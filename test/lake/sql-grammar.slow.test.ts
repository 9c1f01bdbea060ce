import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { HiveSQL, SparkSQL, TrinoSQL } from 'dt-sql-parser';
import { describe, expect, it } from 'vitest';
import { listLakeTables, listLakeViews } from '../../src/publishing/targets/lake/sql/lake-tables.ts';
import { toSpark } from '../../src/publishing/targets/lake/sql/spark.ts';
import { toTrino } from '../../src/publishing/targets/lake/sql/trino.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';

/** Neither engine is here: its grammar is. */
const SQL = {
  ...{ tables: listLakeTables(), views: listLakeViews(), root: `s3://bucket/o'lake/` },
  files: new Map([['videos', ['data/videos/account=main/0000000000000001-0a1b2c3d-001.parquet']]]),
};

const toStatements = (text: string): string[] =>
  text
    .split(/;\n/)
    .filter((statement) => statement.trim() !== '')
    .map((statement) => `${statement};\n`);

describe('the SQL of a lake', () => {
  it('is what the grammar of Spark accepts', () => {
    // one by one: a SET may take what follows it for its value
    const statements = toStatements(toSpark(SQL));
    expect(statements.flatMap((statement) => new SparkSQL().validate(statement))).toEqual([]);
    const wrong = statements.find((statement) => statement.includes('USING parquet')) ?? '';
    expect(new SparkSQL().validate(wrong.replace('USING parquet', 'OF parquet'))).not.toEqual([]);
  });

  it('is what the grammars of Hive and Trino accept: tables of the one, views of the other', () => {
    const statements = toStatements(toTrino(SQL));
    const views = statements.filter((statement) => statement.includes('CREATE OR REPLACE VIEW'));
    const others = statements.filter((statement) => !views.includes(statement));
    expect(views).toHaveLength(SQL.views.length);
    expect(new TrinoSQL().validate(views.join(''))).toEqual([]);
    expect(new HiveSQL().validate(others.join(''))).toEqual([]);
    expect(new HiveSQL().validate(others.join('').replace('ROW FORMAT', 'ROWS FORMAT'))).not.toEqual([]);
  });
});

const hasPyarrow = spawnSync('python3', ['-c', 'import pyarrow, pandas']).status === 0;

describe.skipIf(!hasPyarrow)('the lines for Python (they need pyarrow and pandas)', () => {
  it('read the present rows of a lake', async () => {
    const site = openLakeSite();
    site.register();
    await site.walk([1, 2, 3], { title: 'a' });
    await site.walk([1, 2], { title: 'b' });
    await site.ship();
    const [, lines = ''] = /```python\n([^]*?)```/.exec(readFileSync('docs/targets.md', 'utf8')) ?? [];
    const script = lines.replace('/srv/lake', site.root);
    const shown = execFileSync(
      'python3',
      ['-c', `${script}\nprint(list(videos.video_id), list(videos.title), read('video_tags').count_rows())`],
      { encoding: 'utf8' },
    );
    expect(shown.trim()).toBe(`[1, 2] ['b', 'b'] 0`);
  });
});
