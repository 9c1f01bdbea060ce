/** The questions of docs/questions.md, and the answer of the published file to one of them. */
import type { Answer } from '../answers/answer-thread.ts';
import { QUESTIONS, type Question } from '../answers/answers.ts';
import { createBars } from '../charts/bars.tsx';
import type { QuestionView } from '../views/data-view.ts';
import { Timestamp } from './format.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

const questionPath = ({ slug }: Question) => `/data?question=${slug}#answer`;

/** `open`: the one that has its answer on the page. */
export function QuestionsSection({ open }: { open: QuestionView | null }) {
  return (
    <>
      <Section name="questions" heading="Questions" count="with SQL and their answers from the file">
        <ul class="questions">
          {QUESTIONS.map((question) => (
            <li key={question.slug}>
              <a
                href={questionPath(question)}
                aria-current={question === open?.question ? 'true' : undefined}
              >
                {question.heading}
              </a>
            </li>
          ))}
        </ul>
      </Section>
      {open && (
        <Section name="answer" heading={open.question.heading}>
          <Paragraphs text={open.question.text} />
          <AnswerPart view={open} />
          <pre>
            <code data-copy>{open.question.sql}</code>
          </pre>
        </Section>
      )}
    </>
  );
}

function AnswerPart({ view }: { view: QuestionView }) {
  const { question, answer, publishedAt } = view;
  if (answer === 'no file') return null; // the page says so above
  if (answer === 'late') {
    return (
      <p class="notice" role="status">
        The file takes longer than three seconds to answer. <a href={questionPath(question)}>Load again</a>
      </p>
    );
  }
  if ('problem' in answer) {
    return (
      <p class="notice">
        The file does not answer: <bdi>{answer.problem}</bdi>
      </p>
    );
  }
  return (
    <>
      <AnswerTable answer={answer.answer} />
      <p class="soft">
        {publishedAt !== null && (
          <>
            From the file of <Timestamp at={publishedAt} />.{' '}
          </>
        )}
        {answer.answer.hasMore ? 'There are more rows. ' : ''}All rows as CSV, with the SQL in a file:{' '}
        <code data-copy>
          <bdi>{view.csvCommand}</bdi>
        </code>
      </p>
      <div class="soft">
        <Paragraphs text={question.notes} />
      </div>
    </>
  );
}

/** The few signs of Markdown that the questions use: paragraphs, code, and links, which are shown as text. */
function Paragraphs({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <>
      {text.split('\n\n').map((paragraph) => (
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

/** With a bar beside the figure that a question is about. */
function AnswerTable({ answer }: { answer: Answer }) {
  const { columns, isNumeric, rows } = answer;
  if (rows.length === 0) return <p class="soft">No row.</p>;
  const bars = findBars(answer);
  const head = columns.map((name, index) => (isNumeric[index] ? `>${name}` : name));
  return (
    <Table label={{ by: 'answer-heading' }} class="answer" head={head}>
      {rows.map((row, at) => (
        <tr key={at}>
          {row.map((cell, index) => (
            <td key={index} class={isNumeric[index] ? 'number' : undefined}>
              {index === bars?.column && cell !== null && bars.draw(Number(cell))}
              <Cell text={cell} column={columns[index]} />
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

/** On the service's own clock: no time zone is known. All other times of the published file are UTC. */
const OWN_CLOCK = ['created_at', 'day_at'];

function Cell({ text, column = '' }: { text: string | null; column: string | undefined }) {
  if (text === null) return null;
  const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) && !OWN_CLOCK.includes(column);
  return isTime ? <Timestamp at={text} /> : <bdi>{text}</bdi>;
}

/** The columns with a bar; an answer has one, the first of these. */
const BARS = ['growth_gib', 'new_gib', 'gib', 'videos', 'elapsed_seconds', 'hours_old'];

/** Null for an answer without a figure to draw, and for one that lists single videos: a bar says nothing there. */
function findBars({ columns, rows }: Answer) {
  const column = columns.indexOf(BARS.find((name) => columns.includes(name)) ?? '');
  if (column < 0 || columns.includes('video_id')) return null;
  const draw = createBars(rows.map((row) => Number(row[column] ?? 0)));
  return draw && { column, draw };
}
