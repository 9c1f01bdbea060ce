/** What the demo suggests to try. */
import type { PostgresTargetConfig } from '../../config/config.ts';
import { shellQuote } from '../../health/commands.ts';
import { formatWithoutPassword, parsePostgresUrl } from '../../lib/postgres-url.ts';
import { asTyped, displayPath } from './output.ts';

/** Queries of the published file. */
export function queryExamples(publishedFile: string): string {
  const file = displayPath(publishedFile);
  const queries = [
    'select video_id, title, package_name from bi_videos_now order by video_id desc limit 5',
    'select month_start, round(max(total_gib), 1) as gib from bi_storage_daily group by month_start',
    "select column_name, data_type, description from dictionary where table_name = 'videos' order by position",
  ];
  const command = asTyped(`vodhouse query --file ${shellQuote(file)}`);
  const lines = queries.map((sql) => `  ${command} "${sql}"\n`);
  return `\nquery ${file}, which is rebuilt after each run that changed something:\n${lines.join('')}`;
}

/** Commands of psql for the target of the demo; psql asks for the password. */
export function psqlExamples({ postgres, schema }: PostgresTargetConfig): string {
  const parsed = parsePostgresUrl(postgres);
  if ('expected' in parsed) return '';
  const url = shellQuote(formatWithoutPassword(parsed.address));
  const queries = [
    `select package_name, count(*) as videos from ${schema}.bi_videos_now group by package_name`,
    `select account, worker, change_seq, loaded_at, status from ${schema}.vodhouse_freshness`,
  ];
  const lines = [...queries, `drop schema ${schema} cascade`].map((sql) => `  psql ${url} -c "${sql}"\n`);
  return `\nquery the schema ${schema}; the last line removes it:\n${lines.join('')}`;
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
