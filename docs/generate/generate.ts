/**
 * `npm run docs`: writes docs/tables.md, docs/contributing/live-file.md, the queries of docs/status-page.md and the keys of docs/config.md, from the code; and
 * the questions of the pages, from docs/questions.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configMarkdown } from './config-keys.ts';
import { queriesMarkdown } from './named-queries.ts';
import { formatQuestions, parseQuestions } from './questions.ts';
import { liveMarkdown } from './live-markdown.ts';
import { tablesMarkdown } from './tables-markdown.ts';

const MARK = '<!-- below: npm run docs -->\n';

function write(name: string, text: string): void {
  writeFileSync(docPath(name), text);
  process.stdout.write(`docs/${name}: ${text.split('\n').length - 1} lines\n`);
}

function docPath(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

write('tables.md', tablesMarkdown());
write('contributing/live-file.md', liveMarkdown());
/** Replaces what stands below the mark. */
function writeBelow(name: string, text: string): void {
  const [written = ''] = readFileSync(docPath(name), 'utf8').split(MARK);
  write(name, `${written}${MARK}\n${text}`);
}

writeBelow('status-page.md', queriesMarkdown());
writeBelow('config.md', configMarkdown());
write(
  '../src/web/answers/questions.json',
  formatQuestions(parseQuestions(readFileSync(docPath('questions.md'), 'utf8'))),
);
