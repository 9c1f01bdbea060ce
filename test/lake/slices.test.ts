import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Database } from '../../src/database/sqlite.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { divide } from '../../src/publishing/targets/delta/files.ts';

const { videoHistory } = createMarts({ durationUnit: 'ms', exclude: [] });

/** The keys of each slice of an account's states; the table has other accounts too. */
function keysOfSlices(states: readonly number[], fileRows: number): string[][] {
  const db = new Database(':memory:');
  db.exec('create table video_history (video_key, version_number, primary key (video_key, version_number))');
  const insert = db.prepare('insert into video_history values (?, ?)');
  const add = (key: string, count: number) => {
    for (let version = 1; version <= count; version++) insert.run(key, version);
  };
  for (const account of ['mai', 'main-2', 'maine', 'main0']) add(`${account}/101/1`, 3);
  for (const [id, count] of states.entries()) add(`main/101/${id}`, count);
  return divide(db, videoHistory, 'main', ['', null], fileRows).map(({ rows: { where, parameters } }) => {
    const select = `select video_key from video_history t where ${where} order by 1`;
    return db.prepare(select).pluck().all(parameters) as string[];
  });
}

it('files have all rows of an account once, those of a video together, and about as many rows as they should', () => {
  const states = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 60 });
  fc.assert(
    fc.property(states, fc.integer({ min: 8, max: 40 }), (counts, fileRows) => {
      const slices = keysOfSlices(counts, fileRows);
      const all = counts.flatMap((count, id) => Array.from({ length: count }, () => `main/101/${id}`));
      expect(slices.flat()).toEqual(all.sort());
      expect(slices.reduce((sum, keys) => sum + new Set(keys).size, 0)).toBe(counts.length);
      const sizes = slices.map(({ length }) => length);
      expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(1.5 * fileRows + 8);
      if (sizes.length > 1) expect(Math.min(...sizes)).toBeGreaterThanOrEqual(fileRows / 2 - 8);
    }),
  );
});
