import { expect, it } from 'vitest';
import { findDeadLinks, listPages } from '../support/dead-links.ts';

it.each(listPages('.'))('the links of %s lead to pages and headings that exist', (page) => {
  expect(findDeadLinks('.', page)).toEqual([]);
});
