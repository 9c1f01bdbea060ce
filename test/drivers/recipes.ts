/** The blocks of docs/recipes.md, to run them. */
import { readFileSync } from 'node:fs';

/** A block of code under a heading of the page. */
export interface Block {
  heading: string;
  language: string;
  text: string;
}

export const PAGE = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8');

/** The path that the page uses for the published file. */
export const PLACEHOLDER = '/data/vodhouse.bi.db';

export const BLOCKS: Block[] = PAGE.split(/^## /m).flatMap((section) => {
  const heading = section.slice(0, section.indexOf('\n'));
  return [...section.matchAll(/^```(\w+)\n([^]*?)^```/gm)].map(([, language = '', text = '']) => ({
    heading,
    language,
    text,
  }));
});

/**
 * Blocks of SQL as they are run: with Grafana's variables replaced, for the days from the first to the last.
 */
export function readQueries(first: string, last: string): Block[] {
  const sql = BLOCKS.filter(({ language }) => language === 'sql');
  return sql.map((block) => ({
    ...block,
    text: block.text
      .replaceAll('$__from', String(Date.parse(first)))
      .replaceAll('$__to', String(Date.parse(last))),
  }));
}

/** The name of the block in a test. */
export const formatName = ({ heading, text }: Block) =>
  `${heading}: ${text.replaceAll(/\s+/g, ' ').slice(0, 60)}`;
