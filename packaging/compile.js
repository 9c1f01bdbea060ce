/** Compiles the bundles for this version of Node: each process of a sync writes the code of the functions that it ran. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMMAND = join(import.meta.dirname, '../bin/vodhouse.js');

const LIMIT_MS = 60_000;

const createConfig = (base_url) => ({
  timezone: 'UTC',
  accounts: [
    {
      ...{ name: 'sandbox', video_list: { base_url, key: 'sandbox-key' }, storage: { base_url } },
      ...{ packages: [101], limits: { per_second: null, per_minute: null } },
    },
  ],
  publish: {},
});

/** Runs a sync of the sandbox. Where that fails, V8 compiles the bundles when they are loaded. */
export async function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'vodhouse-build-'));
  const sandbox = spawn(process.execPath, [COMMAND, 'sandbox', '--port', '0']);
  const [printed] = await Promise.race([once(sandbox.stdout, 'data'), once(sandbox, 'exit')]);
  const [base_url] = /http\S+\d/.exec(printed) ?? [];
  if (base_url) {
    writeFileSync(join(folder, 'vodhouse.yaml'), JSON.stringify(createConfig(base_url)));
    const env = { ...process.env, NODE_OPTIONS: '', VODHOUSE_COMPILE: 'yes' };
    spawnSync(process.execPath, [COMMAND, 'sync'], { cwd: folder, env, timeout: LIMIT_MS });
  }
  sandbox.kill();
  rmSync(folder, { recursive: true });
}
