import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findDeadLinks, listPages } from '../support/dead-links.ts';

describe('the links', () => {
  it.each(listPages('.'))('of %s lead to pages and headings that exist', (page) => {
    expect(findDeadLinks('.', page)).toEqual([]);
  });
});

describe('the commands', () => {
  it('of the pages run what is installed: npx runs vodhouse in a checkout only, where npm install was run', () => {
    const pages = listPages('.').filter((page) => page !== 'CHANGELOG.md');
    const lines = pages.flatMap((page) => readFileSync(page, 'utf8').split('\n'));
    const found = lines.filter((line) => /\bnpx vodhouse/.test(line));
    expect(found.filter((line) => !/npm install && npx vodhouse|In a checkout/.test(line))).toEqual([]);
  });
});
