/** The questions of docs/questions.md, and the answer of the published file to one of them. */
import { errorMessage, WarehouseError } from '../../lib/errors.ts';
import type { Answer } from '../../queries/wide-reads.ts';
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

type Answered = NonNullable<Awaited<ReturnType<typeof answerQuestion>>>;

/** Null where no such question is asked. Rejects as `askFile`. */
export async function answerQuestion(
  sources: PageSources,
  file: string,
  slug: string | null,
  signal: AbortSignal,
) {
  const question = QUESTIONS.find((each) => each.slug === slug);
  if (!question) return null;
  return { question, answer: await askFile(sources, file, question.sql, signal) };
}

/**
 * The answer of the published file to SQL; a text where it cannot answer. Rejects as `WideReads.question`
 * does otherwise.
 */
export const askFile = (
  { wideReads }: PageSources,
  file: string,
  sql: string,
  signal: AbortSignal,
): Promise<Answer | string> =>
  wideReads.question(file, sql, signal).catch((error: unknown) => {
    if (error instanceof WarehouseError) return errorMessage(error);
    throw error;
  });

interface SectionProps {
  /** The slug of the address; null: none. */
  asked: string | null;
  /** The one that has its answer on the page. */
  open: Answered | null;
  /** When the file was made; null: not known. */
  publishedAt: string | null;
  formatCommand: PageSources['formatCommand'];
}

export function QuestionsSection({ asked, open, publishedAt, formatCommand }: SectionProps) {
  return (
    <>
      <Section name="questions" heading="Questions" count="with SQL and their answers from the file">
        {asked !== null && !QUESTIONS.some(({ slug }) => slug === asked) && (
          <p class="notice">
            There is no question <bdi>{asked}</bdi>.
          </p>
        )}
        <ul class="questions">
          {QUESTIONS.map((question) => (
            <li key={question.slug}>
              <a
                href={`/data?question=${question.slug}#answer`}
                aria-current={question === open?.question ? 'true' : undefined}
              >
                {question.heading}
              </a>
            </li>
          ))}
        </ul>
      </Section>
      {open && <AnswerSection open={open} publishedAt={publishedAt} formatCommand={formatCommand} />}
    </>
  );
}

type AnswerProps = Pick<SectionProps, 'publishedAt' | 'formatCommand'>;

function AnswerSection({ open: { question, answer }, ...props }: AnswerProps & { open: Answered }) {
  return (
    <Section name="answer" heading={question.heading}>
      <Paragraphs text={question.text} />
      {typeof answer === 'string' ? (
        <p class="notice">
          The file does not answer: <bdi>{answer}</bdi>
        </p>
      ) : (
        <AnswerPart question={question} answer={answer} {...props} />
      )}
      <pre>
        <code data-copy>{question.sql}</code>
      </pre>
    </Section>
  );
}

type PartProps = AnswerProps & { question: Question; answer: Answer };

function AnswerPart({ question, answer, publishedAt, formatCommand }: PartProps) {
  return (
    <>
      <AnswerTable answer={answer} />
      <p class="soft">
        {publishedAt !== null && (
          <>
            From the file of <Timestamp at={publishedAt} />.{' '}
          </>
        )}
        {answer.hasMore ? 'There are more rows. ' : ''}All rows as CSV, with the SQL in a file:{' '}
        <Command text={formatCommand(`query --csv - < ${question.slug}.sql`)} />
      </p>
      <div class="soft">
        <Paragraphs text={question.notes} />
      </div>
    </>
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

function AnswerTable({ answer: { columns, isNumeric, rows } }: { answer: Answer }) {
  if (rows.length === 0) return <p class="soft">No row.</p>;
  return (
    <Table
      label={{ by: 'answer-heading' }}
      class="answer"
      rows={rows}
      columns={columns.map((name, at): Column<Answer['rows'][number]> => [
        isNumeric[at] ? `>${name}` : name,
        (row) => <Cell text={row[at] ?? null} column={name} />,
      ])}
    />
  );
}

/** On the service's own clock: no time zone is known. All other times of the published file are UTC. */
const OWN_CLOCK = ['created_at', 'day_at'];

function Cell({ text, column }: { text: string | null; column: string }) {
  if (text === null) return null;
  const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) && !OWN_CLOCK.includes(column);
  return isTime ? <Timestamp at={text} /> : <bdi>{text}</bdi>;
}
