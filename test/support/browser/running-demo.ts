/** `vodhouse demo` in a temporary folder, for all tests of a file. Needs `npm run build`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readValue } from '../fixtures/live-file.ts';
import { spawnVodhouse } from '../processes/vodhouse-command.ts';

/** The account and the key that the demo generates. */
export const ACCOUNT = 'demo';
const KEY = 'sandbox-key';

export type RunningDemo = Awaited<ReturnType<typeof startDemo>>;

/** Resolves when it has printed the address of its page: its first load begins about then. */
export async function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), 'vodhouse-test-'));
  const command = spawnVodhouse(['demo'], { cwd: folder });
  const close = async () => {
    command.kill('SIGKILL');
    await command.ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [, account = ''] = await command.waitForOutput(/^sandbox account at (\S+);/m);
    const [, url = ''] = await command.waitForOutput(/^watch it in a browser: (\S+)\/$/m);
    const file = join(folder, 'data/demo.db');
    return {
      /** The address of its page, without a trailing slash. */
      url,
      value: (query: string) => readValue(file, query),
      /** The newest video of the demo account, as the service returns it. */
      newestAtTheAccount: () => fetchNewest(`${account}/info/v1/videos.json?key=${KEY}&pkg=101&pagesize=1`),
      /** Ends the demo, and removes its folder. */
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fetchNewest(address: string): Promise<number> {
  const { videoInfoList } = (await (await fetch(address)).json()) as {
    videoInfoList: { videoInfoList: { id: number }[] };
  };
  const [newest] = videoInfoList.videoInfoList;
  if (!newest) throw new Error(`no video at ${address}`);
  return newest.id;
}
