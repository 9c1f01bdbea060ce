import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { status } from '../../../src/cli/commands/status.ts';
import { openDatabase } from '../../../src/database/connection.ts';
import { writeMove } from '../../../src/warehouse/statements/account-move.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { watchConsole } from '../../support/processes/captured-output.ts';

const NEVER_CALLED = 'http://127.0.0.1:1';

const configWith = (accounts: readonly string[], top = '') =>
  [
    `warehouse: live.db\ntimezone: Asia/Seoul\n${top}\naccounts:`,
    ...accounts.map(
      (name) =>
        `  - name: ${name}\n    video_list: { base_url: '${NEVER_CALLED}', key: sandbox-key, page_size: 500 }\n    packages: [101]`,
    ),
  ].join('\n');

/** A folder with a config and an empty live file, and what `status` ends with and writes there. */
function openStatus(text: string) {
  const folder = createFolder({ 'vodhouse.yaml': text });
  const config = join(folder, 'vodhouse.yaml');
  const db = openDatabase(join(folder, 'live.db'), Date.now());
  const run = async () => {
    const written = watchConsole();
    const code = await status({ config, logLevel: 'error', logFormat: 'text' });
    return { code, text: written.splice(0).join('') };
  };
  return { folder, config, db, run, write: (changed: string) => writeFileSync(config, changed) };
}

/** As `vodhouse move` leaves the first file. */
const moveAway = (db: Parameters<typeof writeMove>[0], account: string) => {
  const ids = { arrivalId: 'arrival-1', moveId: 'move-1', otherWarehouseId: 'warehouse-2' };
  const at = '2026-03-05 12:00:00';
  writeMove(db, { account, state: 'left', origins: [], otherFile: '/two/live.db', at, ...ids });
};

describe('status of an account that was moved away and is still in the config', () => {
  it('says what sync says, and names no command that is refused', async () => {
    const { config, db, run } = openStatus(configWith(['main', 'second']));
    moveAway(db, 'second');
    const { code, text } = await run();
    expect(code).toBe(3);
    expect(text).toContain('account second was moved to /two/live.db (2026-03-05 12:00:00 UTC)');
    expect(text).toContain(`-> take second out of ${config}, and put it into the config of that file`);
    expect(text).not.toMatch(/second\/101|vodhouse start|due with a worker/);
  });

  it('says so also where it was the only account, and ends once the config no longer has it', async () => {
    const { db, run, write } = openStatus(configWith(['main']));
    moveAway(db, 'main');
    const { code, text } = await run();
    expect([code, text.includes('account main was moved to')]).toEqual([3, true]);
    expect(text).not.toMatch(/Nothing was synced yet|vodhouse sync|vodhouse start/);
    write(configWith(['second']));
    expect((await run()).text).toContain('Nothing was synced yet');
  });
});
