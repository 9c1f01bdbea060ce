/** The questions of docs/questions.md, and the answer of the published file to one of them. */
import { errorMessage, WarehouseError } from '../../lib/errors.ts';
import { capitalize, formatCount } from '../../lib/format.ts';
import type { Answer } from '../../queries/wide-reads.ts';
import { createBars } from '../charts/figures.tsx';
import type { PageSources } from './routing.ts';
import { Command, Timestamp } from './format.tsx';
import written from './questions.json' with { type: 'json' };
import { Section } from './section.tsx';
import { Table, type Column } from './table.tsx';

/** Texts are Markdown: paragraphs with a blank line between them. */
export interface Question {
  slug: string;
  heading: string;
  /** The text before the SQL. */
  text: string;
  sql: string;
  /** The text below the answer. */
  notes: string;
}

/** `npm run docs` writes them, from docs/questions.md. */
export const QUESTIONS: readonly Question[] = written;

const questionPath = ({ slug }: Question): string => `/data?question=${slug}`;

/**
 * The answer of the published file, or a text where it cannot answer; null where no such question is asked.
 * Rejects as `WideReads.question` does otherwise.
 */
export async function answerQuestion(
  { wideReads }: PageSources,
  file: string,
  slug: string | null,
  signal: AbortSignal,
) {
  const question = QUESTIONS.find((each) => each.slug === slug);
  if (!question) return null;
  const answer = await wideReads.question(file, question.sql, signal).catch((error: unknown) => {
    if (error instanceof WarehouseError) return errorMessage(error);
    throw error;
  });
  return { question, answer };
}

/** `asked`: the slug of the address; null: none. */
export function QuestionsSection({ asked }: { asked: string | null }) {
  return (
    <Section name="questions" heading="Questions" count="with SQL and their answers from the file">
      {asked !== null && !QUESTIONS.some(({ slug }) => slug === asked) && (
        <p class="notice">
          There is no question <bdi>{asked}</bdi>.
        </p>
      )}
      <ul class="questions">
        {QUESTIONS.map((question) => (
          <li key={question.slug}>
            <a href={questionPath(question)} aria-current={question.slug === asked ? 'true' : undefined}>
              {question.heading}
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface AnswerProps {
  answered: NonNullable<Awaited<ReturnType<typeof answerQuestion>>>;
  /** All rows of the answer are shown, not only the first. */
  isAll: boolean;
  /** When the file was made; null: not known. */
  publishedAt: string | null;
  formatCommand: PageSources['formatCommand'];
}

export function AnswerSection({ answered, isAll, publishedAt, formatCommand }: AnswerProps) {
  const { question, answer } = answered;
  return (
    <Section name="answer" heading={question.heading}>
      <Paragraphs text={question.text} />
      {typeof answer === 'string' ? (
        <p class="notice">
          The file does not answer: <bdi>{answer}</bdi>
        </p>
      ) : (
        <>
          <AnswerTable answer={answer} isAll={isAll} href={questionPath(question)} />
          <p class="soft">
            {publishedAt !== null && (
              <>
                From the file of <Timestamp at={publishedAt} />.{' '}
              </>
            )}
            {answer.hasMore && 'There are more rows. '}All rows as CSV, with the SQL in a file:{' '}
            <Command text={formatCommand(`query --csv - < ${question.slug}.sql`)} />
          </p>
          <div class="soft">
            <Paragraphs text={question.notes} />
          </div>
        </>
      )}
      <pre>
        <code data-copy>{question.sql}</code>
      </pre>
    </Section>
  );
}

/** The few signs of Markdown that the questions use: paragraphs, code, and links, which are shown as text. */
function Paragraphs({ text }: { text: string }) {
  const paragraphs = text.split('\n\n').filter((paragraph) => paragraph !== '');
  return (
    <>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>
          {paragraph
            .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
            .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
            .split('`')
            .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
        </p>
      ))}
    </>
  );
}

/** Rows that are shown at first; a link leads to the others. */
const FIRST_ROWS = 50;

/** The first column of figures has bars. */
function AnswerTable({ answer, isAll, href }: { answer: Answer; isAll: boolean; href: string }) {
  const { columns, isNumeric, rows } = answer;
  if (rows.length === 0) return <p class="soft">No row.</p>;
  const isFigure = (at: number) => isNumeric[at] === true && !/(^|_)(id|year)$/.test(columns[at] ?? '');
  const measured = columns.findIndex((_, at) => isFigure(at));
  const toNumbers = (at: number) => rows.map((row) => Number(row[at] ?? 0));
  const showBar = createBars(measured < 0 ? [] : toNumbers(measured));
  return (
    <>
      <Table
        label={{ by: 'answer-heading' }}
        class="answer"
        rows={isAll ? rows : rows.slice(0, FIRST_ROWS)}
        columns={columns.map((name, at): Column<Answer['rows'][number]> => {
          const isLarge = isFigure(at) && toNumbers(at).some((value) => Math.abs(value) >= THOUSAND);
          const show = (text: string | null) => {
            if (text === null || !isNumeric[at]) return text;
            return (isLarge ? formatCount(Math.round(Number(text))) : text).replace('-', '\u2212');
          };
          return [
            capitalize(name.replaceAll('_', ' ').replace(/\bgib\b/, 'GiB')),
            (row) => {
              const cell = <Cell text={show(row[at] ?? null)} column={name} />;
              return at === measured ? showBar(Number(row[at] ?? 0), cell) : cell;
            },
            isNumeric[at] ? 'number' : undefined,
          ];
        })}
      />
      {!isAll && rows.length > FIRST_ROWS && (
        <p>
          <a href={`${href}&rows=all`}>Show {formatCount(rows.length)} rows</a>
        </p>
      )}
    </>
  );
}

/** From here on the figures of a column have commas, and no decimals. */
const THOUSAND = 1_000;

/** On the service's own clock: no time zone is known. All other times of the published file are UTC. */
const OWN_CLOCK = ['created_at', 'day_at'];

function Cell({ text, column }: { text: string | null; column: string }) {
  if (text === null) return null;
  const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) && !OWN_CLOCK.includes(column);
  return isTime ? <Timestamp at={text} /> : <bdi>{text}</bdi>;
}
