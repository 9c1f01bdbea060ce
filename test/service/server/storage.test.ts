import { describe, expect, it } from 'vitest';
import { FIGURES, type Figure } from '../../../src/lib/service-fields.ts';
import type { StorageDay } from '../../../src/service/storage.ts';
import { createFixture, getStorage, KEY, startServer } from '../../support/servers/plain-catalogue.ts';

function createDay(date: string, figure: number | null): StorageDay {
  const figures = Object.fromEntries(FIGURES.map((name) => [name, figure]));
  return { ...(figures as Record<Figure, number | null>), date };
}

const january = 'sdate=2026-01-01&edate=2026-01-31';

describe('the storage statistics', () => {
  it('have the envelope of docs/service.md 2.3 and the records unchanged', async () => {
    const days = [createDay('2026-01-01', 44_482_871), createDay('2026-01-02', null)];
    const { catalogue, ranges } = createFixture([], days);
    const { url } = await startServer({ catalogue });
    const { status, body } = await getStorage(url, `${january}&sort_direction=desc`);
    expect(status).toBe(200);
    expect(body).toEqual({ message: 'success', data: { list: days } });
    expect(ranges).toEqual([{ from: '2026-01-01', to: '2026-01-31', direction: 'desc' }]);
  });

  it.each([
    ['', 'sdate: is missing; edate: is missing'],
    ['sdate=2026-02-30&edate=2026-03-01', 'sdate: "2026-02-30" is not a calendar date yyyy-mm-dd'],
    ['sdate=2026-01-01&edate=tomorrow', 'edate: "tomorrow" is not a calendar date yyyy-mm-dd'],
    [`${january}&sort_direction=up`, 'sort_direction: "up" is not one of asc, desc'],
  ])('are rejected for "%s", with HTTP 200, the reason and no days', async (query, message) => {
    const { catalogue, ranges } = createFixture([], [createDay('2026-01-01', 1)]);
    const { status, body } = await getStorage((await startServer({ catalogue })).url, query);
    expect(status).toBe(200);
    expect(body).toEqual({ message, data: { list: [] } });
    expect(ranges).toEqual([]);
  });
});

describe('the key of the storage statistics', () => {
  const { catalogue } = createFixture([], [createDay('2026-01-01', 1)]);
  const refused = { message: 'the key is missing or unknown', data: { list: [] } };

  it('is not required by default', async () => {
    const { url } = await startServer({ catalogue });
    expect((await getStorage(url, january)).body.message).toBe('success');
  });

  it('is required in the query where the options require it', async () => {
    const { url } = await startServer({ catalogue, storageAuth: 'query' });
    expect((await getStorage(url, `${january}&key=${KEY}`)).body.message).toBe('success');
    expect((await getStorage(url, january)).body).toEqual(refused);
    expect((await getStorage(url, january, { key: KEY })).body).toEqual(refused);
  });

  it('is required in a header of any case where the options name one', async () => {
    const { url } = await startServer({ catalogue, storageAuth: { header: 'X-Api-Key' } });
    expect((await getStorage(url, january, { 'x-api-key': KEY })).body.message).toBe('success');
    expect((await getStorage(url, january, { 'x-api-key': 'no' })).body).toEqual(refused);
    expect((await getStorage(url, `${january}&key=${KEY}`)).body).toEqual(refused);
  });
});
