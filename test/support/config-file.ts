/** What a `vodhouse.yaml` of a test says; packages are walked as fast as the machine can. */
export interface ConfigWishes {
  url: string;
  packages?: readonly number[];
  key?: string;
  pageSize?: number;
  storage?: boolean;
  /** Packages at a time. */
  concurrency?: number;
  /** Further lines at the top. */
  top?: string;
}

export const CONFIG = 'vodhouse.yaml';
export const WAREHOUSE = 'data/vodhouse.db';

export function configText(wishes: ConfigWishes): string {
  const {
    url,
    packages = [101],
    key = 'sandbox-key',
    pageSize = 1000,
    storage = true,
    concurrency = 4,
  } = wishes;
  return [
    `warehouse: ${WAREHOUSE}`,
    'timezone: Asia/Seoul',
    wishes.top ?? '',
    'accounts:',
    '  - name: main',
    `    video_list: { base_url: ${url}, key: ${JSON.stringify(key)}, page_size: ${pageSize} }`,
    storage ? `    storage: { base_url: ${url} }` : '',
    `    packages: [${packages.join(', ')}]`,
    `    limits: { concurrency: ${concurrency}, per_second: null, per_minute: null, per_day: null }`,
    '',
  ].join('\n');
}
