/** Records that are valid JSON, and that JSON.parse alone would change, lose or choke on. */
import { expect, it } from 'vitest';
import { openTestPipeline } from '../../support/fixtures/open-pipeline.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { openWalkedPackage } from '../../support/servers/walked-packages.ts';

/** A video as JSON text, with more members. */
const recordText = (id: number, members = '', fields: Record<string, unknown> = {}) =>
  JSON.stringify(videoRecord(id, fields)).replace('{', members === '' ? '{' : `{${members},`);

/** A pipeline whose service lists these records, given as JSON text. */
async function openListed(...texts: readonly string[]) {
  const listed = { texts };
  const { url, requests } = await startScriptedService(() => {
    const records = listed.texts.map((_, index) => `@${index}@`);
    const body = listBody({ records, pagesize: 5 });
    return { body: body.replaceAll(/"@(\d+)@"/g, (_, index) => listed.texts[Number(index)] ?? '') };
  });
  return { listed, requests, pipeline: openTestPipeline({ url }) };
}

const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

it('one record that is nested too deep is in quarantine as it came, and the others are stored', async () => {
  const deep = recordText(2, `"mood":${nest(2_300)}`);
  const { pipeline } = await openListed(recordText(1), deep, recordText(3, `"mood":${nest(999)}`));
  const { walks, status } = await pipeline.run();
  expect(status).toBe('partial');
  expect(walks).toMatchObject([{ status: 'succeeded', added: 2, quarantined: 1 }]);
  expect(pipeline.query('select record_id, raw from quarantine')).toEqual([{ record_id: '2', raw: deep }]);
});

it("SQLite's JSON functions read the deepest field that is published", async () => {
  const { pipeline } = await openListed(recordText(1, `"mood":${nest(999)}`));
  await pipeline.run();
  const [row] = pipeline.query(
    `select json_valid(extra) as valid, json_array_length(extra, '$.mood') as elements from video`,
  );
  expect(row).toEqual({ valid: 1, elements: 1 });
});

it('known videos get their new titles where an undocumented number has more digits than a double', async () => {
  const titled = (title: string, members = '') => [1, 2, 3].map((id) => recordText(id, members, { title }));
  const { listed, pipeline } = await openListed(...titled('old'));
  await pipeline.run();
  pipeline.clock.advance(HOUR_MS);
  listed.texts = titled('new', '"owner_id":1610521604143693812,"ratio":0.1000000000000000055,"most":1e400');
  expect(await pipeline.run()).toMatchObject({
    status: 'succeeded',
    walks: [{ edited: 3, quarantined: 0 }],
  });
  expect(pipeline.query('select distinct title, extra from video')).toEqual([
    {
      title: 'new',
      extra: '{"most":1e400,"owner_id":1610521604143693812,"ratio":0.1000000000000000055}',
    },
  ]);
  expect(pipeline.query("select field, sample from drift where kind = 'new' order by field")).toEqual([
    { field: 'most', sample: '1e400' },
    { field: 'owner_id', sample: '1610521604143693812' },
    { field: 'ratio', sample: '0.1000000000000000055' },
  ]);
});

it('another order of undocumented fields, or within one, is no new state of a video', async () => {
  const { listed, pipeline } = await openListed(recordText(1, '"a":{"p":1,"q":[{"x":1,"y":2}]},"b":2'));
  await pipeline.run();
  pipeline.clock.advance(HOUR_MS);
  listed.texts = [recordText(1, '"b":2,"a":{"q":[{"y":2,"x":1}],"p":1}')];
  expect(await pipeline.run()).toMatchObject({ walks: [{ edited: 0, unchanged: 1 }] });
  expect(pipeline.query('select * from video_version')).toEqual([]);
});

it('a record with two ids is in quarantine, and removes nothing', async () => {
  const { listed, pipeline } = await openListed(recordText(2), recordText(9));
  await pipeline.run();
  pipeline.clock.advance(HOUR_MS);
  listed.texts = [`{"id":2,${recordText(9).slice(1)}`];
  expect(await pipeline.run()).toMatchObject({ status: 'partial', walks: [{ quarantined: 1, removed: 0 }] });
  expect(pipeline.query('select record_id, reason from quarantine')).toEqual([
    { record_id: null, reason: 'the record has id twice' },
  ]);
  expect(pipeline.query('select id from video where removed_at is null')).toHaveLength(2);
});

it('a response of millions of lists is refused before it is parsed, and not requested again', async () => {
  for (const text of ['['.repeat(15_000_000), '[],'.repeat(5_000_000)]) {
    const { pipeline, requests } = await openListed(text);
    const before = process.memoryUsage().rss;
    const { failures } = await pipeline.run();
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
    expect(requests).toHaveLength(1);
    expect(failures).toMatchObject([{ kind: 'too_large' }]);
    expect(failures[0]?.message).toMatch(/the response holds [\d,]+ values, more than 600,000$/);
  }
});

const DRIFT =
  "select field, kind, sample, resolved_at is not null as resolved from drift where field = 'cdate'";

it('a creation time that cannot be read is stored as received, and is drift until it is gone', async () => {
  const { service, pipeline } = await openWalkedPackage([1, 2, 3]);
  expect(pipeline.query(DRIFT)).toEqual([]);
  service.edit(2, { cdate: '02/01/2026 03:04' });
  service.edit(3, { cdate: '03/01/2026 03:04' });
  await pipeline.run();
  expect(pipeline.query('select cdate from video where id = 2')).toEqual([{ cdate: '02/01/2026 03:04' }]);
  const drift = { field: 'cdate', kind: 'form', sample: '"02/01/2026 03:04"' };
  expect(pipeline.query(DRIFT)).toEqual([{ ...drift, resolved: 0 }]);
  service.edit(2, { cdate: '2026-01-02T03:04:05+09:00' });
  service.edit(3, { cdate: '' });
  for (let walk = 0; walk < 3; walk++) {
    pipeline.clock.advance(HOUR_MS);
    await pipeline.run();
  }
  expect(pipeline.query(DRIFT)).toEqual([{ ...drift, resolved: 1 }]);
});
