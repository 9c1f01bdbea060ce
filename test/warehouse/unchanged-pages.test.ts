import { expect, it } from 'vitest';
import { KEY, video, videos, type Page } from '../support/fixtures/package-walker.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { findPage } from '../../src/warehouse/statements/page-hash.ts';

const BAD = { id: 2, reason: 'no', raw: '{}' };

it.each<[string, Page, boolean]>([
  ['is recognised', {}, true],
  ['is recognised where other ids changed', { videos: [video(7)], proof: { low: 4, high: 9 } }, true],
  ['is not recognised where one of its rows changed', { videos: [video(2, { title: 'new' })] }, false],
  ['is not recognised where one of its videos is a candidate', { proof: { low: 2, high: 2 } }, false],
  ['is not recognised where one of its records is in quarantine', { refused: [BAD] }, false],
])('a page with a known hash %s', async (_what, other, isRecognised) => {
  const { warehouse, walker } = await openTestWarehouse();
  const walk = await walker.begin();
  const page = {
    videos: videos([1, 2, 3]),
    proof: { low: 1, high: 3 },
    checkpoint: { id: 1, totalcount: 3 },
  };
  await walker.page(walk, { ...page, fingerprint: { hash: 'h', first: 1, last: 3 } });
  await walker.page(walk, { ...other, page: 2 });
  const known = findPage(warehouse.db, { ...KEY, page: 1, pageSize: 1000 });
  expect(known?.hash === 'h').toBe(isRecognised);
});
