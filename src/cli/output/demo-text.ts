/** What the demo suggests to try. */
import { shellQuote } from '../../health/commands.ts';
import { asTyped, displayPath } from './output.ts';

/** Queries of the published file. */
export function queryExamples(publishedFile: string): string {
  const file = displayPath(publishedFile);
  const queries = [
    'select video_id, title, package_name from videos_now order by video_id desc limit 5',
    'select month_start, round(max(total_gib), 1) as gib from storage_daily join dates using (day) group by month_start',
    "select column_name, data_type, description from dictionary where table_name = 'videos' order by position",
  ];
  const command = asTyped(`vodhouse query --file ${shellQuote(file)}`);
  const lines = queries.map((sql) => `  ${command} "${sql}"\n`);
  return `\nquery ${file}, which is rebuilt after each run that changed something:\n${lines.join('')}`;
}

/** Commands with the config of the demo; `isRunning`: also those that send requests. */
export function configExamples(file: string, isRunning: boolean): string {
  const config = shellQuote(displayPath(file));
  const lines = ['status', 'runs', 'plan', ...(isRunning ? ['check', 'sync'] : [])].map(
    (words) => `  ${asTyped(`vodhouse ${words} --config ${config}`)}\n`,
  );
  return `\nother commands work with the config ${config}${isRunning ? ', in another terminal' : ''}:\n${lines.join('')}`;
}

/** A request to the API mirror. */
export function mirrorExample(port: number): string {
  const url = `http://127.0.0.1:${port}`;
  return [
    '',
    `clients of the service can ask ${url} instead: it answers from the warehouse:`,
    `  curl -G '${url}/info/v1/videos.json' -d pkg=101 -d pagesize=2 -d search_item=title --data-urlencode keyword=특강`,
    '',
  ].join('\n');
}

/** `churn`: changes per minute. */
export function followText(churn: number): string {
  const changes = churn > 0 ? `the account changes ${churn} times a minute` : 'the account does not change';
  return `\n${changes}; the worker runs every 20 s (Ctrl-C stops it)\n\n`;
}
