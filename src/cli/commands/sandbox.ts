import { systemClock } from '../../lib/clock.ts';
import { ConfigError, errorMessage } from '../../lib/errors.ts';
import { pluralize } from '../../lib/format.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { LogOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { abortOnSignal } from '../signals.ts';

export interface SandboxOptions extends LogOptions {
  port: number;
  videos?: number;
  packages?: number;
  seed: number;
  churn: number;
  pageSizeMax: number;
}

/** `vodhouse sandbox`: serves the sandbox account until a signal. Returns the exit code. */
export async function sandbox(options: SandboxOptions): Promise<number> {
  const { churn, seed, pageSizeMax } = options;
  const stop = abortOnSignal('stopping');
  const account = { seed, pageSizeMax, churnPerMinute: churn, ...getPackages(options) };
  const sandbox = createSandbox({ clock: systemClock, ...account });
  const url = await listen(sandbox, options.port);
  process.stdout.write(introduction(url, sandbox, churn));
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
  await sandbox.close();
  return stop.received() === 'SIGINT' ? EXIT.interrupted : EXIT.done;
}

async function listen(sandbox: Sandbox, port: number): Promise<string> {
  try {
    return (await sandbox.listen({ port })).url;
  } catch (error) {
    throw new ConfigError(`cannot listen on port ${port}: ${errorMessage(error)}`, {
      hint: 'vodhouse sandbox --port 0 takes any free port',
      cause: error,
    });
  }
}

const DEFAULT_PACKAGES = 3;
const DEFAULT_VIDEOS = 1000;

/** The packages of the options. Without `--videos` and `--packages` the sandbox has its default packages. */
function getPackages({ videos, packages }: SandboxOptions): { packages?: { id: number; videos: number }[] } {
  if (videos === undefined && packages === undefined) return {};
  const ids = Array.from({ length: packages ?? DEFAULT_PACKAGES }, (_, index) => 101 + index);
  return { packages: ids.map((id) => ({ id, videos: videos ?? DEFAULT_VIDEOS })) };
}

function introduction(url: string, { key, packageIds }: Sandbox, churn: number): string {
  return [
    `sandbox at ${url}, ${pluralize(packageIds.length, 'package')}: ${packageIds.join(', ')}`,
    churn > 0 ? `it changes ${pluralize(churn, 'time')} a minute` : 'it does not change (see --churn)',
    '',
    'try:',
    `  curl '${url}/info/v1/videos.json?key=${key}&pkg=${packageIds[0] ?? 101}&pagesize=2'`,
    '',
    'in vodhouse.yaml:',
    'timezone: Asia/Seoul',
    'accounts:',
    '  - name: sandbox',
    '    video_list:',
    `      base_url: ${url}`,
    `      key: ${key}`,
    '    storage:',
    `      base_url: ${url}`,
    `    packages: [${packageIds.join(', ')}]`,
    '',
  ].join('\n');
}
