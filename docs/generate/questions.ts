/** The questions of docs/questions.md for the pages: src/web/pages/questions.json. */
import type { Question } from '../../src/web/pages/questions.tsx';

/** One for each section that asks something, in their order. Throws where one has no SQL. */
export function parseQuestions(markdown: string): Question[] {
  return markdown
    .split(/^## /m)
    .filter((section) => /^.*\?\n/.test(section))
    .map((section) => {
      const [, heading = '', before = '', sql = '', after = ''] =
        /^(.*)\n([^]*?)```sql\n([^]*?)```\n([^]*)$/.exec(section) ?? [];
      if (sql === '') throw new Error(`docs/questions.md has no SQL in: ${section.slice(0, 100)}`);
      const slug = heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '');
      return { slug, heading, text: toParagraphs(before), sql: toPageSql(sql), notes: toParagraphs(after) };
    });
}

/** An example shows a few rows, where the page shows as many as it can. */
const toPageSql = (sql: string): string => sql.trim().replace(/\n.* -- leave this line out .*$/, '');

/** The paragraphs with a blank line between them, without tables, other SQL, and what introduces that. */
function toParagraphs(markdown: string): string {
  return markdown
    .replaceAll(/[^\n]+(?:\n[^\n]+)*:\n\n```[^]*?```/g, '')
    .split(/\n\n+/)
    .map((paragraph) => paragraph.trim().replaceAll('\n', ' '))
    .filter((paragraph) => !/^$|^\||\]\(targets\.md/.test(paragraph)) // a page reads the file, no target
    .join('\n\n');
}

/** As prettier formats it: an object has only texts. */
export function formatQuestions(questions: readonly Question[]): string {
  return `${JSON.stringify(questions, null, 2)}\n`;
}
