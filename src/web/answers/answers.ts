/** The answers of the published file to the questions, each read once for each file, in a thread. */
import { statSync } from 'node:fs';
import { withinTime } from '../../lib/within-time.ts';
import { createThreadQueue } from '../../queries/thread-queue.ts';
import type { Answer, AnswerRequest, AnswerResult } from './answer-thread.ts';
import type { Question } from './questions.ts';

export type Answers = ReturnType<typeof openAnswers>;

/** `late`: not read in time; a later request may find it. */
export type AnswerState = { answer: Answer } | { problem: string } | 'late' | 'no file';

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
    const answer = queue.ask({ sql, asCsv: false }, closed.signal);
    answers.set(slug, answer);
    answer.catch(() => answers.delete(slug)); // the thread ended, or too many wait: the next request asks again
    return answer;
  }

  return {
    /** Waits at most `waitMs`. Rejects as `ThreadQueue.ask` does. */
    find: async (question: Question, waitMs: number): Promise<AnswerState> => {
      const of = identify(file);
      if (of === null) return 'no file';
      const result = await withinTime(read(question, of), waitMs);
      if (result === null) return 'late';
      return 'csv' in result ? { problem: 'there is no answer' } : result;
    },
    /** All rows; null where there is no file, the SQL failed, or the answer is too large. Rejects as `ThreadQueue.ask` does. */
    writeCsv: async ({ sql }: Question, signal: AbortSignal): Promise<string | null> => {
      if (identify(file) === null) return null;
      const result = await queue.ask({ sql, asCsv: true }, signal);
      return 'csv' in result ? result.csv : null;
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
