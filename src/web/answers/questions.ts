/** The questions of docs/questions.md. */
import written from './questions.json' with { type: 'json' };

/** Texts are Markdown: paragraphs with a blank line between them. */
export interface Question {
  slug: string;
  heading: string;
  /** What stands before the SQL. */
  text: string;
  sql: string;
  /** What stands below the answer. */
  notes: string;
}

/** `npm run docs` writes them, from docs/questions.md. */
export const QUESTIONS: readonly Question[] = written;
