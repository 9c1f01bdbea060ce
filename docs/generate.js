/** `npm run docs`: writes docs/warehouse.md from the dictionary in the code. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { warehouseMarkdown } from '../dist/warehouse/dictionary/markdown.js';

const text = warehouseMarkdown();
writeFileSync(fileURLToPath(new URL('warehouse.md', import.meta.url)), text);
console.log(`docs/warehouse.md: ${text.split('\n').length - 1} lines`);
