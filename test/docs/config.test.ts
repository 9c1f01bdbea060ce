import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configMarkdown } from '../../docs/generate/config-keys.ts';
import { load } from '../support/fixtures/load-config.ts';

const PAGE = readFileSync('docs/config.md', 'utf8');
const [HANDWRITTEN = '', GENERATED = ''] = PAGE.split('<!-- below: npm run docs -->\n');

describe('docs/config.md', () => {
  it('has every key of the schema: `npm run docs` changes nothing', () => {
    expect(GENERATED).toBe(`\n${configMarkdown()}`);
    expect(GENERATED).toContain('| `accounts[].packages[].schedule` | schedule.full |');
    expect(GENERATED).not.toMatch(/\| *\|$/m);
  });

  it('has an example that loads', () => {
    const [, yaml = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(HANDWRITTEN) ?? [];
    const config = load(yaml, { VODHOUSE_KEY: 'a-key' });
    expect(config.accounts[0]?.packages).toHaveLength(2);
    expect(config.publish).not.toBeNull();
  });
});
