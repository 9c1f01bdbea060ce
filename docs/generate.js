/** `npm run docs`: writes docs/warehouse.md, and the queries of docs/status-page.md, from the code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { warehouseMarkdown } from '../dist/warehouse/dictionary/markdown.js';
import { questionsMarkdown } from '../dist/warehouse/questions/all.js';

const MARK = '<!-- below: npm run docs -->\n';

function write(name, text) {
  writeFileSync(pathOf(name), text);
  console.log(`docs/${name}: ${text.split('\n').length - 1} lines`);
}

function pathOf(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}

write('warehouse.md', warehouseMarkdown());
const [said = ''] = readFileSync(pathOf('status-page.md'), 'utf8').split(MARK);
write('status-page.md', `${said}${MARK}\n${questionsMarkdown()}`);
