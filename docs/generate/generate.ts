/**
 * `npm run docs`: writes docs/tables.md, docs/contributing/live-file.md, the keys of docs/config.md, the problems of
 * docs/alerts.md, the figures of docs/performance.md, the dashboard of Grafana, the sources of dbt, the views over a lake,
 * and the questions of the pages from docs/questions.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { alertsMarkdown } from './alert-kinds.ts';
import { configMarkdown } from './config-keys.ts';
import { dashboardJson } from './dashboard.ts';
import { dbtSources } from './dbt-sources.ts';
import { lakeViewsSql } from './lake-views.ts';
import { liveFileMarkdown } from './live-file.ts';
import { formatQuestions, parseQuestions } from './questions.ts';
import { performancePage } from './performance.ts';
import { tablesMarkdown } from './tables.ts';

const MARK = '<!-- below: npm run docs -->\n';
const at = (name: string) => new URL(`../${name}`, import.meta.url);
const read = (name: string) => readFileSync(at(name), 'utf8');

const keepAbove = (name: string) => read(name).split(MARK)[0] ?? '';
const performance = performancePage();
const PAGES = {
  'tables.md': tablesMarkdown(),
  'contributing/live-file.md': liveFileMarkdown(),
  'config.md': `${keepAbove('config.md')}${MARK}\n${configMarkdown()}`,
  'alerts.md': `${keepAbove('alerts.md')}${MARK}\n${alertsMarkdown()}`,
  'performance.md': `${keepAbove('performance.md')}${MARK}\n${performance.markdown}`,
  ...Object.fromEntries(Object.entries(performance.pictures).map(([name, svg]) => [`images/${name}`, svg])),
  '../deploy/grafana/vodhouse.json': dashboardJson(),
  '../deploy/dbt/sources.yml': dbtSources(),
  '../deploy/lake/views.sql': lakeViewsSql(),
  '../src/web/pages/questions.json': formatQuestions(parseQuestions(read('questions.md'))),
};
for (const [name, text] of Object.entries(PAGES)) writeFileSync(at(name), text);
