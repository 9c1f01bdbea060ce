import { expect, it } from 'vitest';
import { readFullRun, runText } from '../../../src/cli/output/run-text.ts';
import { openTestPipeline } from '../../support/fixtures/open-pipeline.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';
import { idsBetween, startPackageService, type PackageService } from '../../support/servers/test-service.ts';
import { lastWalk, liveIds } from '../../support/servers/walked-packages.ts';

type Paging = 'echoed' | 'real';

/** Pages hold at most `most` records and say that they hold as many as requested; the list is divided by either size. */
function shorten(service: PackageService, most: number, pagesBy: Paging, placesBy: Paging): void {
  service.intercept = ({ page, size, isDescending }) => {
    const ids = isDescending ? [...service.records.keys()].reverse() : [...service.records.keys()];
    const real = Math.min(size, most);
    const start = (page - 1) * (placesBy === 'real' ? real : size);
    const records = ids.slice(start, start + real).map((id) => videoRecord(id));
    const totalpage = Math.ceil(ids.length / (pagesBy === 'real' ? real : size));
    const sort_direction = isDescending ? 'DESC' : 'ASC';
    return {
      body: listBody({ records, sort_direction, page, pagesize: size, totalcount: ids.length, totalpage }),
    };
  };
}

const PAGINGS = ['echoed', 'real'] as const;
const CASES = PAGINGS.flatMap((pagesBy) => PAGINGS.map((placesBy) => [pagesBy, placesBy] as const));

it.each(CASES)(
  'a service with shorter pages than it says: %s number, %s places',
  async (pagesBy, placesBy) => {
    for (const [videos, most] of [
      [25, 1],
      [25, 4],
      [25, 9],
      [8, 4],
      [12, 4],
      [31, 9],
    ] as const) {
      const service = await startPackageService(idsBetween(1, videos));
      shorten(service, most, pagesBy, placesBy);
      const open = (pageSize: number) => openTestPipeline({ url: service.url, silent: true, pageSize });
      const asked = open(10);
      const summary = await asked.run();
      const error = `no page came with more than ${most} of ${Math.min(10, videos)} records; set page_size: ${most}`;
      expect(lastWalk(asked)).toMatchObject({ status: 'partial', error });
      const run = readFullRun(asked.pipeline.warehouse.db, summary, asked.config, String);
      expect(runText(run, String)).toContain(error);
      asked.close();
      const advised = open(most);
      await advised.run();
      expect(lastWalk(advised)).toMatchObject({ status: 'succeeded', error: null });
      expect(liveIds(advised)).toEqual(idsBetween(1, videos));
      advised.close();
    }
  },
);

it('a service that leaves records out of one page gets no such advice', async () => {
  const service = await startPackageService(idsBetween(1, 23));
  service.intercept = ({ page }) =>
    page === 2
      ? { body: listBody({ records: [videoRecord(6)], page, pagesize: 5, totalcount: 23, totalpage: 5 }) }
      : undefined;
  const pipeline = openTestPipeline({ url: service.url, silent: true });
  await pipeline.run();
  expect(lastWalk(pipeline)['error']).toBe('page 2 came with 1 of 5 records');
});
