/** `npm run docs`: writes docs/warehouse.md, and the queries of docs/status-page.md, from the code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { queriesMarkdown } from './named-queries.ts';
import { warehouseMarkdown } from './warehouse-markdown.ts';

const MARK = '<!-- below: npm run docs -->\n';

function write(name: string, text: string): void {
  writeFileSync(docPath(name), text);
  process.stdout.write(`docs/${name}: ${text.split('\n').length - 1} lines\n`);
}

function docPath(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

write('warehouse.md', warehouseMarkdown());
const [written = ''] = readFileSync(docPath('status-page.md'), 'utf8').split(MARK);
write('status-page.md', `${written}${MARK}\n${queriesMarkdown()}`);
