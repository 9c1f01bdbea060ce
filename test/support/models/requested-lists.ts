/**
 * Requests lists from a server that implements docs/service.md, and compares each response with the
 * reference.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { createVirtualClock } from '../clocks/virtual-clock.ts';
import { expectDescribed } from '../openapi-document.ts';
import { createMirrored } from '../servers/mirrored-warehouse.ts';
import { referenceList, type ListQuery, type Sent } from './reference-list.ts';
import { startScriptedService } from '../servers/scripted-service.ts';
import { someQueries, someRecords } from './searched-lists.ts';
import { listPage, serveEverything } from '../fixtures/service-responses.ts';

const PATH = '/info/v1/videos.json';

/** Sends each query and expects the records, the count and the echo of the reference. */
export async function expectAsReference(
  url: string,
  records: readonly Sent[],
  queries: readonly ListQuery[],
) {
  for (const query of queries) {
    const response = await fetch(`${url}${PATH}?${formatQuery(query)}`);
    const body = (await response.json()) as { videoInfoList: Record<string, unknown> };
    expectDescribed(PATH, response.status, body);
    const expected = referenceList([...records], query);
    expect(body.videoInfoList).toMatchObject({
      errorInfo: { errorCode: 'None' },
      paging: { page: query.page, pagesize: query.size, totalcount: expected.totalcount },
      apiVideoSearchOption: { search_item: query.search?.item ?? '', keyword: query.search?.keyword ?? '' },
    });
    expect(body.videoInfoList['videoInfoList']).toEqual(expected.records);
  }
}

function formatQuery({ search, item, direction, page, size }: ListQuery): string {
  const found = search && { search_item: search.item, keyword: search.keyword };
  const sort = { sort_item: item, sort_direction: direction };
  const query = {
    key: 'test-key',
    pkg: '101',
    ...found,
    ...sort,
    page: String(page),
    pagesize: String(size),
  };
  return new URLSearchParams(query).toString();
}

/** Random packages, each synced into a warehouse and served back, with the given number of queries each. */
export function compareWithReference(cases: number, queries: number, seed: number): Promise<void> {
  const package101 = someRecords.chain((records) =>
    fc.record({ records: fc.constant(records), queries: someQueries(records, queries) }),
  );
  const property = fc.asyncProperty(package101, async ({ records, queries }) => {
    const service = await startScriptedService(serveEverything((request) => listPage(request, records)));
    const clock = createVirtualClock('2026-03-09T03:00:00Z');
    const options = { packages: [101], pageSize: 25, clock, since: '2026-03-08' };
    const mirrored = createMirrored({ url: service.url, ...options });
    try {
      expect((await mirrored.sync()).status).toBe('succeeded');
      await expectAsReference(await mirrored.serve(), records, queries);
    } finally {
      await mirrored.close();
    }
  });
  return fc.assert(property, { numRuns: cases, seed, endOnFailure: true });
}
