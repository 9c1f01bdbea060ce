/** What the page of the data shows: the published file with its dictionary, the answer to a question, and the API mirror. */
import { existsSync } from 'node:fs';
import * as z from 'zod';
import { createCalendar } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';
import { publishedFact } from '../../publishing/about-rows.ts';
import { createMarts } from '../../publishing/marts/marts.ts';
import type { Mart } from '../../publishing/mart.ts';
import { QUESTIONS, type Answers } from '../answers/answers.ts';
import { textParam } from './query-params.ts';
import type { ViewSources } from './status-view.ts';

/** Columns and rows of an example query. */
const EXAMPLE_COLUMNS = 5;
const EXAMPLE_ROWS = 10;
/** Days of storage in the line to copy. */
const API_DAYS = 30;
/** The page waits for an answer at most this long. */
const WAIT_MS = 3_000;

/** `question`: its slug. */
export const dataQuery = z.object({ question: textParam });

export interface DataSources extends ViewSources {
  /** Null: the config publishes no file. */
  answers: Answers | null;
}

export interface TableView extends Pick<Mart, 'name' | 'kind' | 'description' | 'columns'> {
  /** A query to begin with. */
  example: string;
}

export type DataView = Awaited<ReturnType<typeof createDataView>>;
export type QuestionView = NonNullable<DataView['question']>;

/** The tables are those that the config publishes, also before there is a file. Rejects as `Answers.find` does. */
export async function createDataView(
  sources: DataSources,
  { question }: z.output<typeof dataQuery>,
  now: number,
) {
  const { config, formatCommand } = sources;
  const { publish, durationUnit } = config;
  const marts = createMarts({ durationUnit, exclude: publish?.exclude ?? [] }).all;
  const today = createCalendar(config.timezone).dayAt(now);
  return {
    /** The path of the published file; null: the config publishes none. */
    file: publish?.file ?? null,
    isThere: publish !== null && existsSync(publish.file),
    publishCommand: formatCommand('publish'),
    tables: publish === null ? [] : marts.map(toTableView),
    /** Null: none is asked. */
    question: await readQuestion(sources, question),
    api: {
      needsKey: (config.server?.keys.length ?? 0) > 0,
      accounts: config.accounts.map(({ name, packages, storage }) => ({
        name,
        packageId: packages[0]?.id ?? null,
        hasStorage: storage !== null,
      })),
      from: addDays(today, -API_DAYS),
      to: today,
    },
  };
}

function toTableView({ name, kind, description, columns }: Mart): TableView {
  const names = columns.slice(0, EXAMPLE_COLUMNS).map((column) => column.name);
  const example = `select ${names.join(', ')} from ${name} limit ${EXAMPLE_ROWS};`;
  return { name, kind, description, columns, example };
}

async function readQuestion(
  { config: { publish }, answers, formatCommand }: DataSources,
  slug: string | null,
) {
  const question = QUESTIONS.find((each) => each.slug === slug);
  if (!question || !answers || !publish) return null;
  const publishedAt = publishedFact(publish.file, 'published_at');
  return {
    question,
    answer: await answers.find(question, WAIT_MS),
    /** When the file was made (UTC); null: not known. */
    publishedAt: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(publishedAt ?? '') ? publishedAt : null,
    /** The command that writes all rows. */
    csvCommand: formatCommand(`query --csv - < ${question.slug}.sql`),
  };
}
