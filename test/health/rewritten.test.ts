import { expect, it } from 'vitest';
import { createHealthReport } from '../../src/health/report.ts';
import { commandsFor } from '../../src/lib/shell-command.ts';
import { openReadOnly } from '../../src/database/connection.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { openWalkedAccount } from '../support/servers/walked-packages.ts';
import { idsBetween } from '../support/servers/test-service.ts';

const IDS = idsBetween(1, 300);

/** A package whose videos all have another value of a field at each walk. */
async function openVolatile(field: string, ids = IDS) {
  const { service, run, pipeline } = await openWalkedAccount({ 101: ids });
  const db = openReadOnly(pipeline.file);
  const parts = {
    db,
    publisher: null,
    isStale: () => false,
    formatCommand: commandsFor('vodhouse.yaml'),
    config: createTestConfig({ url: service.url, packages: [101] }, pipeline.file),
  };
  return {
    walkAfterEditing: async (edited: readonly number[]) => {
      for (const id of edited) service.getPackage(101).edit(id, { [field]: `${pipeline.clock.now()}` });
      await run();
    },
    problems: () => {
      const { problems } = createHealthReport(parts, pipeline.clock.now(), 1);
      return problems.filter(({ of }) => of.kind === 'rewritten').map(({ fields }) => fields);
    },
  };
}

it.each(['thumbnail_url', 'playcount'])(
  'three walks that edit more than a tenth of the videos are a problem that names %s',
  async (field) => {
    const { walkAfterEditing, problems } = await openVolatile(field);
    await walkAfterEditing(IDS);
    await walkAfterEditing(IDS.slice(0, 31));
    expect(problems()).toEqual([]);
    await walkAfterEditing(IDS.slice(0, 31));
    expect(problems()).toEqual([{ edited: 31, videos: 300, fields: [field] }]);
    await walkAfterEditing(IDS.slice(0, 30));
    expect(problems()).toEqual([]);
  },
);

it('a small package may be edited completely', async () => {
  const few = idsBetween(1, 20);
  const { walkAfterEditing, problems } = await openVolatile('title', few);
  for (let walks = 0; walks < 3; walks++) await walkAfterEditing(few);
  expect(problems()).toEqual([]);
});
