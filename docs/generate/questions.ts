/** The questions of docs/questions.md for the pages: src/web/pages/questions.json. */
import type { Question } from '../../src/web/pages/questions.tsx';

/** One for each section with SQL, in their order. Throws where a section has none. */
export function parseQuestions(markdown: string): Question[] {
  return markdown
    .split(/^## /m)
    .slice(1)
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

/** The day on which the answers of the page were made. */
const TODAY = Date.parse('2026-03-12');
const DAY_MS = 86_400_000;

/** An example names days and a title of the fictional account: the page takes days that are as far back, and all titles. */
function toPageSql(sql: string): string {
  const daysBack = (day: string) => (TODAY - Date.parse(day)) / DAY_MS;
  return sql
    .trim()
    .replaceAll(/^.* -- leave this line out .*\n/gm, '')
    .replaceAll(
      /'(\d{4}-\d\d-\d\d)'/g,
      (_, day: string) => `date((select value from about where key = 'today'), '-${daysBack(day)} days')`,
    );
}

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
