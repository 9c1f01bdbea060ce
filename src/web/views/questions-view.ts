/** What the pages of the questions show, read from the published file. */
import { publishedFact } from '../../publishing/about-rows.ts';
import type { Answers } from '../answers/answers.ts';
import { QUESTIONS, type Question } from '../answers/questions.ts';
import type { ViewSources } from './status-view.ts';

/** The page waits for an answer at most this long. */
const WAIT_MS = 3_000;

export interface QuestionSources extends ViewSources {
  /** Null: the config publishes no file. */
  answers: Answers | null;
}

export type QuestionView = NonNullable<Awaited<ReturnType<typeof createQuestionView>>>;

export function findQuestion(slug: string): Question | undefined {
  return QUESTIONS.find((question) => question.slug === slug);
}

/** Null where there is no such question. Rejects as `Answers.find` does. */
export async function createQuestionView({ config, answers, formatCommand }: QuestionSources, slug: string) {
  const question = findQuestion(slug);
  if (!question) return null;
  const at = QUESTIONS.indexOf(question);
  return {
    question,
    previous: QUESTIONS[at - 1] ?? null,
    next: QUESTIONS[at + 1] ?? null,
    /** Null: the config publishes no file. */
    answer: answers && (await answers.find(question, WAIT_MS)),
    /** When the file was made (UTC); null: not known. */
    publishedAt: config.publish && toTime(publishedFact(config.publish.file, 'published_at')),
    publishCommand: formatCommand('publish'),
    /** The command that writes all rows. */
    csvCommand: formatCommand(`query --csv - < ${question.slug}.sql`),
  };
}

function toTime(value: string | null): string | null {
  return value !== null && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value) ? value : null;
}
