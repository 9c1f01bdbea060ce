import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import {
  CANARY_KEY,
  findCanary,
  replyWithKey,
  QUICK_PACKAGES,
  writtenFiles,
} from '../support/fixtures/awkward-key.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';
import { listRefusal } from '../support/fixtures/service-responses.ts';
import { eventually, startVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 90_000 });

describe('the key', () => {
  it('is in no output, log or file, whatever fails', async () => {
    const { url } = await startScriptedService(replyWithKey);
    const top = 'publish: { exclude: [] }';
    const config = configText({ url, key: '${VODHOUSE_KEY}', packages: QUICK_PACKAGES, concurrency: 6, top });
    const cwd = createFolder({
      [CONFIG]: config,
      '.env': `VODHOUSE_KEY='${CANARY_KEY}'\n`,
      'bad.yaml': config
        .replace('Asia/Seoul', '${VODHOUSE_KEY}')
        .replace('page_size: 1000', 'page_size: ${VODHOUSE_KEY}'),
    });
    const commands = [
      { command: ['sync', '--log-level', 'debug'], ends: 3 },
      { command: ['sync', '--package', '1,2,3,4,5', '--json', '--log-format', 'json'], ends: 1 },
      { command: ['check'], ends: 1 },
      { command: ['publish'], ends: 0 },
      { command: ['status'], ends: 3 },
      { command: ['status', '--json'], ends: 3 },
      { command: ['status', '--requests', '--json'], ends: 0 },
      { command: ['runs'], ends: 0 },
      { command: ['runs', '1'], ends: 0 },
      { command: ['runs', '2', '--json'], ends: 0 },
      { command: ['sync', '--config', 'bad.yaml'], ends: 2 },
    ];
    const printed: [string, string][] = [];
    for (const { command, ends } of commands) {
      const { code, stdout, stderr } = await vodhouse(command, { cwd });
      expect([command, code]).toEqual([command, ends]);
      printed.push([command.join(' '), stdout + stderr]);
    }
    expect(printed[0]?.[1]).toContain(
      'errorCode Invalid:[key]: no [key], not even [key] or ?key=[key]&pkg=2',
    );
    expect(findCanary(printed)).toEqual([]);
    expect(writtenFiles(cwd).map(([name]) => name)).toContain('published/vodhouse.bi.db');
    expect(findCanary(writtenFiles(cwd))).toEqual([]);
  });

  it('is in no file of a sync that was killed, including journal and lock file', async () => {
    const { url, requests } = await startScriptedService(({ query }) =>
      query.get('pkg') === '2' ? 'hang' : listRefusal('No', `no ${query.get('key') ?? ''}`),
    );
    const cwd = createFolder({
      [CONFIG]: configText({ url, key: CANARY_KEY, packages: [1, 2], storage: false }),
    });
    const command = startVodhouse(['sync'], { cwd });
    await eventually(command.stderr).toContain('package 1, page 1: the service refused');
    await eventually(() => requests.length).toBe(3);
    command.kill('SIGKILL');
    await command.ended;
    const files = writtenFiles(cwd);
    const names = files.map(([name]) => name);
    for (const ending of ['.db', '.db-wal', '.db.run.lock', '.db.run.holder']) {
      expect(names).toContain(`data/vodhouse${ending}`);
    }
    expect(files.some(([, content]) => content.includes('errorCode No: no [key]'))).toBe(true);
    expect(findCanary(files)).toEqual([]);
  });
});
