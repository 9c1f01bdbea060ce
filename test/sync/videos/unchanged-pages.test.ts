import { createHash } from 'node:crypto';
import { Database } from '../../../src/database/sqlite.ts';
import { describe, expect, it } from 'vitest';
import { idsBetween } from '../../support/servers/test-service.ts';
import type { TestPipeline } from '../../support/fixtures/open-pipeline.ts';
import { openWalkedPackage } from '../../support/servers/walked-packages.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { DRIFT_KINDS, VIDEO_FIELDS } from '../../../src/service/service-fields.ts';
import { splitEnvelope } from '../../../src/service/client/parse-response.ts';

/** The pages with a stored hash, by number. */
function hashes(pipeline: TestPipeline): Record<number, string> {
  const rows = pipeline.query<{ page: number; hash: string }>('select page, hash from page_hash');
  return Object.fromEntries(rows.map(({ page, hash }) => [page, hash]));
}

/** Changes a row without vodhouse: only a parsed page reveals it. */
function tamper(pipeline: TestPipeline, id: number): void {
  const db = new Database(pipeline.file);
  db.exec(`drop trigger if exists video_version_kept; update video set title = 'tampered' where id = ${id}`);
  db.close();
}

const isTampered = (pipeline: TestPipeline, id: number) =>
  pipeline.query<{ title: string }>(`select title from video where id = ${id}`)[0]?.title === 'tampered';

async function walkedOnce(ids: readonly number[]) {
  const { service, pipeline } = await openWalkedPackage(ids);
  pipeline.clock.advance(HOUR_MS);
  return { service, pipeline };
}

describe('an unchanged page', () => {
  it('is not parsed, and its records count as unchanged', async () => {
    const { pipeline } = await walkedOnce(idsBetween(1, 13));
    tamper(pipeline, 7);
    const { walks } = await pipeline.run();
    expect(walks).toMatchObject([{ pages: 3, unchanged: 13, edited: 0, status: 'succeeded' }]);
    expect(isTampered(pipeline, 7)).toBe(true);
  });

  it('stays known when videos are uploaded at the end', async () => {
    const { service, pipeline } = await walkedOnce(idsBetween(1, 13));
    const before = hashes(pipeline);
    service.add(14, 15, 16);
    await pipeline.run();
    const { 1: first, 2: second } = before;
    expect(hashes(pipeline)).toMatchObject({ 1: first, 2: second });
    tamper(pipeline, 7);
    await pipeline.run();
    expect(isTampered(pipeline, 7)).toBe(true);
  });

  it('is deleted with the pages beyond the end, and when the page size changes', async () => {
    const { service, pipeline } = await walkedOnce(idsBetween(1, 13));
    service.remove(...idsBetween(9, 13));
    await pipeline.run();
    pipeline.clock.advance(HOUR_MS);
    await pipeline.run();
    expect(Object.keys(hashes(pipeline))).toEqual(['1', '2']);
    service.pageSizeMax = 4;
    await pipeline.run();
    expect(pipeline.query('select distinct page_size from page_hash')).toEqual([{ page_size: 4 }]);
  });

  it('is not stored with open work: a candidate, quarantine, new drift', async () => {
    const { service, pipeline } = await walkedOnce(idsBetween(1, 15));
    service.remove(14);
    service.edit(8, { duration: '' });
    service.edit(2, { later: 1 });
    await pipeline.run();
    expect(hashes(pipeline)).toEqual({});
    await pipeline.run();
    expect(Object.keys(hashes(pipeline))).toEqual(['1', '3']); // the removal is done, the drift is known
  });

  it('updates the last time of its drift', async () => {
    const { service, pipeline } = await walkedOnce(idsBetween(1, 7));
    service.edit(2, { later: 1 });
    await pipeline.run();
    await pipeline.run();
    pipeline.clock.advance(HOUR_MS);
    tamper(pipeline, 3);
    await pipeline.run();
    expect(isTampered(pipeline, 3)).toBe(true);
    expect(pipeline.query(`select field, last_seen_at from drift where kind = 'new'`)).toEqual([
      { field: 'later', last_seen_at: '2026-03-10 14:00:00' },
    ]);
  });
});

describe('a page with its known bytes is parsed anyway', () => {
  it('when another page changed one of its rows, in a walk that ended with its first response', async () => {
    const { service, pipeline } = await walkedOnce(idsBetween(11, 20));
    service.add(1); // moves video 15 to the second page
    service.edit(15, { title: 'for a while' });
    service.remove(20);
    service.beforeAnswer = () => pipeline.stop();
    expect((await pipeline.run()).status).toBe('interrupted');
    service.beforeAnswer = () => undefined;
    service.remove(1);
    service.edit(15, { title: 'Video 15' });
    service.add(20);
    await pipeline.run();
    expect(pipeline.query('select title from video where id = 15')).toEqual([{ title: 'Video 15' }]);
  });

  const { preloading, ...olderFields } = VIDEO_FIELDS;
  it.each([
    ['with fewer fields', olderFields],
    ['with a field of another type', { ...VIDEO_FIELDS, preloading: { ...preloading, type: 'integer' } }],
  ] as const)('when a version %s recorded it', async (_, fields) => {
    const { pipeline } = await walkedOnce(idsBetween(1, 13));
    const content = Buffer.from(listBody({ records: idsBetween(1, 5).map((id) => videoRecord(id)) }));
    const { 1: hash } = hashes(pipeline);
    expect(hash).toBe(splitEnvelope([content], VIDEO_FIELDS)?.hash);
    const older = splitEnvelope([content], fields)?.hash;
    const db = new Database(pipeline.file);
    db.prepare('update page_hash set hash = ? where page = 1').run(older);
    db.close();
    tamper(pipeline, 3);
    tamper(pipeline, 7);
    await pipeline.run();
    expect([3, 7].map((id) => isTampered(pipeline, id))).toEqual([false, true]);
    expect(hashes(pipeline)[1]).toBe(hash);
  });

  it('when a version with fewer kinds of drift recorded it', async () => {
    const { pipeline } = await walkedOnce(idsBetween(1, 3));
    const records = JSON.stringify(idsBetween(1, 3).map((id) => videoRecord(id)));
    const hash = (...known: unknown[]) =>
      createHash('sha256')
        .update(JSON.stringify(known) + records)
        .digest('base64');
    const fields = Object.entries(VIDEO_FIELDS).map(([name, { type }]) => [name, type]);
    expect(hashes(pipeline)).toEqual({ 1: hash(DRIFT_KINDS, fields, []) });
    const db = new Database(pipeline.file);
    db.prepare('update page_hash set hash = ?').run(hash(DRIFT_KINDS.slice(1), fields, []));
    db.close();
    tamper(pipeline, 3);
    await pipeline.run();
    expect(isTampered(pipeline, 3)).toBe(false);
  });

  it('when it proves more than before', async () => {
    const { service, pipeline } = await walkedOnce(idsBetween(11, 19));
    service.remove(19);
    service.extraCount = 1; // so that page 2 does not show the end of the list
    service.intercept = ({ query }) => (query.get('sort_direction') === 'desc' ? { status: 400 } : undefined);
    await pipeline.run();
    expect(pipeline.query('select id from video where removed_at is not null')).toEqual([]);
    service.extraCount = 0;
    await pipeline.run();
    expect(pipeline.query('select id from video where removed_at is not null')).toEqual([{ id: 19 }]);
  });
});
