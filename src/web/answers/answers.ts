/** The answers of the published file to the questions, each read once for each file, in a thread. */
import { statSync } from 'node:fs';
import { withinTime } from '../../lib/within-time.ts';
import { createThreadQueue } from '../../queries/thread-queue.ts';
import type { AnswerRequest, AnswerResult } from './answer-thread.ts';
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

export type Answers = ReturnType<typeof openAnswers>;

/** `late`: not read in time; a later request may find it. */
export type AnswerState = AnswerResult | 'late' | 'no file';

/** The thread starts with the first question. `file` is the path of the published file. */
export function openAnswers(file: string) {
  const queue = createThreadQueue<AnswerRequest, AnswerResult>({
    path: file,
    thread: 'web/answers/answer-thread.js',
  });
  const closed = new AbortController();
  let kept: { of: string; answers: Map<string, Promise<AnswerResult>> } | null = null;

  /** The same promise for everybody who asks while the file is the same. */
  function read({ slug, sql }: Question, of: string): Promise<AnswerResult> {
    if (kept?.of !== of) kept = { of, answers: new Map() };
    const { answers } = kept;
    const known = answers.get(slug);
    if (known) return known;
    const answer = queue.ask({ sql }, closed.signal);
    answers.set(slug, answer);
    answer.catch(() => answers.delete(slug)); // the thread ended, or too many wait: the next request asks again
    return answer;
  }

  return {
    /** Waits at most `waitMs`. Rejects as `ThreadQueue.ask` does. */
    find: async (question: Question, waitMs: number): Promise<AnswerState> => {
      const of = identify(file);
      if (of === null) return 'no file';
      return (await withinTime(read(question, of), waitMs)) ?? 'late';
    },
    close: (): Promise<void> => {
      closed.abort();
      return queue.close();
    },
  };
}

/** Differs from file to file: a new one has another inode and time. Null: there is none. */
function identify(file: string): string | null {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.ino} ${stats.mtimeNs} ${stats.size}` : null;
}
