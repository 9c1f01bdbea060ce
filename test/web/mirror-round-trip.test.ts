import { onTestFinished, describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveHard } from '../drivers/hard-account.ts';
import { createHardService } from '../drivers/hard-service.ts';
import { createMirrored, type MirroredWarehouse } from '../support/servers/mirrored-warehouse.ts';
import { getStorage, getVideos, startServer } from '../support/servers/plain-catalogue.ts';
import { createVirtualClock, type VirtualClock } from '../support/clocks/virtual-clock.ts';

const FIELDS = `package_id, id, cid, access_key, org_access_key, title, series, author, content, tag, copyright, rate,
  cdate, duration, etc, thumbnail_url, thumbnail_sheet_url, encoding_success, v_width, v_height, v_framerate,
  filesize, drm_cid, opt, preloading, extra`;
/** The stored values: their storage classes are compared too. */
const stored = FIELDS.split(',').map((name) => `${name}, typeof(${name})`);
const videosWhere = (condition: string) =>
  `select ${stored.join(', ')} from video where ${condition} order by package_id, id`;
const LIVE = videosWhere('removed_at is null');
const REMOVED = videosWhere('removed_at is not null');
const DAYS = `select date, mov_org_cnt, mov_org_size, encoder_cnt, encoder_size, ad_org_cnt, ad_org_size, ad_encoder_cnt,
  ad_encoder_size, image_count, image_size from storage_day where state = 'booked' order by date`;
const STATES = `select ${FIELDS} from video union select ${FIELDS} from video_version`;

function expectEqual(first: MirroredWarehouse, second: MirroredWarehouse): void {
  expect(second.query(LIVE)).toEqual(first.query(LIVE));
  expect(second.query(DAYS)).toEqual(first.query(DAYS));
}

describe('a second vodhouse that is synced from the first', () => {
  it('equals it, whatever the service returned', { timeout: 60_000 }, async () => {
    const service = createHardService();
    const clock = createVirtualClock('2026-03-09T03:00:00Z');
    const hard = await serveHard(service, () => new Date(clock.now()).toISOString());
    onTestFinished(() => hard.close());
    const options = { clock, since: '2026-03-01', packages: [101, 102, 103], pageSize: 4 };
    const first = createMirrored({ ...options, url: hard.url });
    await first.sync();
    const mirror = await first.serve();
    const second = createMirrored({ ...options, url: mirror });
    expect((await second.sync()).status).toBe('succeeded');
    expectEqual(first, second);
    expect(second.query(LIVE)).toHaveLength(18);
    expect(second.query(DAYS).length).toBeGreaterThan(4);

    for (const change of [() => service.edit(), () => service.editAgain()]) {
      change();
      clock.advance(26 * 3_600_000);
      await first.sync();
      await second.sync();
      expectEqual(first, second);
      expect(second.query(REMOVED)).toEqual(first.query(REMOVED));
    }
    expect(second.query('select * from quarantine')).toEqual([]);
    for (const packageId of options.packages)
      await getVideos(`${mirror}/info/v1/videos.json?pkg=${packageId}`);
    await getStorage(mirror, 'sdate=2026-03-01&edate=2026-03-31');
  });

  it('equals it in the end where both sync while the service changes', { timeout: 60_000 }, async () => {
    const clock = createVirtualClock('2026-03-09T03:00:00Z');
    const { url, sandbox, change } = await startChanging(clock);
    const options = { clock, since: '2026-03-01', packages: [101, 102], pageSize: 40 };
    const first = createMirrored({ ...options, url });
    await first.sync();
    const second = createMirrored({ ...options, url: await first.serve() });
    for (let round = 0; round < 4; round++) {
      sandbox.churn(80);
      clock.advance(3_600_000);
      change.atEachRequest = 4;
      const [, summary] = await Promise.all([first.sync(), second.sync()]);
      change.atEachRequest = 0;
      expect(['succeeded', 'partial']).toContain(summary.status);
      expectNothingMadeUp(first, second);
    }
    for (let round = 0; round < 2; round++) {
      clock.advance(3_600_000);
      await first.sync();
      await second.sync();
    }
    expectEqual(first, second);
    expect(second.query('select 1 from video_version').length).toBeGreaterThan(100);
    expect(second.query('select * from video_version').length).toBeGreaterThan(100);
  });
});

/** A sandbox of two packages that makes this many changes at each request for a page. */
async function startChanging(clock: VirtualClock) {
  const packages = [
    { id: 101, videos: 400 },
    { id: 102, videos: 60 },
  ];
  const sandbox = createSandbox({ clock, packages });
  const change = { atEachRequest: 0 };
  const { url } = await startServer({
    keys: ['test-key'],
    catalogue: {
      storage: (range) => sandbox.catalogue.storage(range),
      videos: (query, signal) => {
        sandbox.churn(change.atEachRequest);
        return sandbox.catalogue.videos(query, signal);
      },
    },
  });
  return { url, sandbox, change };
}

/** Every row of the second is a state that the first one has, or had. */
function expectNothingMadeUp(first: MirroredWarehouse, second: MirroredWarehouse): void {
  const known = new Set(first.query(STATES).map((row) => JSON.stringify(row)));
  const madeUp = second.query(`select ${FIELDS} from video`).filter((row) => !known.has(JSON.stringify(row)));
  expect(madeUp).toEqual([]);
}
