/** All questions by the part of the page that asks them: the source of docs/status-page.md. */
import { ADDED, EDITED, REMOVED } from './changes.ts';
import type { NamedQuery } from '../../database/query.ts';
import { DIFFERENCES, FAILED_RUN, FAILED_WALKS, OPEN_GAPS, STORAGE_FAILURES } from './failures.ts';
import * as standing from './status.ts';
import { GAPS, OPEN_DISCREPANCIES, STORAGE, STORAGE_DAYS, WAITING_DAYS } from './storage.ts';
import { PACKAGE_WALKS, REMOVED_OF_PACKAGE, SIZES, CHANGE_MARKER, VERSIONS, VIDEO } from './videos.ts';

type Told = Pick<NamedQuery<unknown>, 'heading' | 'says' | 'sql'>;

export const NAMED_QUERIES: readonly { part: string; questions: readonly Told[] }[] = [
  {
    part: 'The verdict, and what needs a person',
    questions: [
      standing.PACKAGES,
      STORAGE,
      WAITING_DAYS,
      OPEN_DISCREPANCIES,
      standing.HELD_BACK,
      standing.HELD_BACK_EXAMPLES,
      standing.QUARANTINE,
      standing.QUARANTINE_EXAMPLES,
      standing.DRIFT,
      FAILED_WALKS,
      FAILED_RUN,
      STORAGE_FAILURES,
      DIFFERENCES,
      OPEN_GAPS,
    ],
  },
  { part: 'A run under way', questions: [standing.RUNNING_WALKS, standing.RUN_DONE, CHANGE_MARKER] },
  { part: 'Storage', questions: [STORAGE_DAYS, GAPS] },
  { part: 'Packages', questions: [SIZES] },
  { part: 'Requests spent', questions: [standing.SPENT_REQUESTS, standing.PAUSE] },
  { part: 'Last runs', questions: [standing.RUNS] },
  { part: 'Latest changes', questions: [ADDED, EDITED, REMOVED] },
  {
    part: 'The page of a package',
    questions: [standing.PACKAGE, PACKAGE_WALKS, REMOVED_OF_PACKAGE],
  },
  { part: 'The page of a video', questions: [VIDEO, VERSIONS] },
];

/** The questions as Markdown, a heading each. */
export function queriesMarkdown(): string {
  const sections = NAMED_QUERIES.map(({ part, questions }) =>
    [`### ${part}`, ...questions.map(questionMarkdown)].join('\n\n'),
  );
  return `${sections.join('\n\n')}\n`;
}

function questionMarkdown({ heading, says, sql }: Told): string {
  const end = heading.endsWith('?') ? '' : '.';
  const text = `**${heading}${end}**${says === '' ? '' : ` ${says}`}`;
  return [text, `\`\`\`sql\n${sql};\n\`\`\``].join('\n\n');
}
