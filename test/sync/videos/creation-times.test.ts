import { expect, it } from 'vitest';
import { openWalkedPackage } from '../../support/servers/walked-packages.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';

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
