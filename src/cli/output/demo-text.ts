/** What the demo suggests to try. */
import type { Config } from '../../config/config.ts';
import { shellQuote } from '../../health/commands.ts';
import { asTyped, displayPath } from './output.ts';

const QUERIES = [
  'select video_id, title, package_name from videos_now order by video_id desc limit 5',
  'select month_start, round(max(total_gib), 1) as gib from storage_daily join dates using (day) group by month_start',
  "select column_name, data_type, description from dictionary where table_name = 'videos' order by position",
];

/** Queries, and commands with the config of the demo; `isRunning`: also those that send requests. */
export function demoExamples({ file, publish }: Config, isRunning: boolean): string {
  const [config, published] = [shellQuote(displayPath(file)), displayPath(publish?.file ?? '')];
  const queries = QUERIES.map((sql) => `query --file ${shellQuote(published)} "${sql}"`);
  const commands = ['status', 'runs', 'plan', ...(isRunning ? ['check', 'sync'] : [])];
  const format = (words: string) => `  ${asTyped(`vodhouse ${words}`)}`;
  return [
    `\nquery ${published}, which is rebuilt after each run that changed something:`,
    ...queries.map(format),
    `\nother commands work with the config ${config}${isRunning ? ', in another terminal' : ''}:`,
    ...commands.map((words) => format(`${words} --config ${config}`)),
    '',
  ].join('\n');
}

/** A request to the API mirror. */
export function mirrorExample(port: number): string {
  const url = `http://127.0.0.1:${port}`;
  return [
    `\nclients of the service can ask ${url} instead: it answers from the warehouse:`,
    `  curl -G '${url}/info/v1/videos.json' -d pkg=101 -d pagesize=2 -d search_item=title --data-urlencode keyword=특강`,
    '',
  ].join('\n');
}

/** `churn`: changes per minute. */
export function followText(churn: number): string {
  const changes = churn > 0 ? `the account changes ${churn} times a minute` : 'the account does not change';
  return `\n${changes}; the worker runs every 20 s (Ctrl-C stops it)\n\n`;
}
