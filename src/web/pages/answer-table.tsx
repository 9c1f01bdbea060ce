/** The rows of an answer, with a bar beside the figure that a question is about. */
import { formatCount, pluralize } from '../../lib/format.ts';
import { createBars } from '../charts/bars.tsx';
import type { Answer } from '../answers/answer-thread.ts';
import type { Question } from '../answers/questions.ts';
import { Timestamp } from './format.tsx';
import { Table } from './table.tsx';

/** The columns with a bar. */
const BARS = ['growth_gib', 'new_gib', 'gib', 'videos', 'elapsed_seconds', 'hours_old'];

/** Questions whose answers list single videos: a bar says nothing there. */
const NO_BARS = ['video_id'];

interface AnswerTableProps {
  answer: Answer;
  question: Question;
  csvCommand: string;
}

export function AnswerTable({ answer, question, csvCommand }: AnswerTableProps) {
  const { columns, isNumeric, rows, more, isTooLarge } = answer;
  if (rows.length === 0) return <p class="soft">No row.</p>;
  const bars = findBars(answer);
  const head = columns.map((name, index) => (isNumeric[index] ? `>${name}` : name));
  return (
    <>
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
      <p>
        {isTooLarge ? (
          <>
            {formatCount(rows.length)} rows of an answer that is too large for a page. All rows as CSV, with
            the SQL in a file:{' '}
            <code data-copy>
              <bdi>{csvCommand}</bdi>
            </code>
          </>
        ) : (
          <>
            {more > 0 ? `${formatCount(more)} more in the ` : `${pluralize(rows.length, 'row')} · `}
            <a href={`/data/questions/${question.slug}.csv`}>CSV</a>, with times in UTC
          </>
        )}
      </p>
    </>
  );
}

/** On the service's own clock: no time zone is known. All other times of the published file are UTC. */
const OWN_CLOCK = ['created_at', 'day_at'];

function Cell({ text, column = '' }: { text: string | null; column: string | undefined }) {
  if (text === null) return null;
  const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) && !OWN_CLOCK.includes(column);
  return isTime ? <Timestamp at={text} /> : <bdi>{text}</bdi>;
}

/** Null for an answer without a figure to draw. */
function findBars({ columns, rows }: Answer) {
  const name = columns.some((each) => NO_BARS.includes(each))
    ? undefined
    : BARS.find((each) => columns.includes(each));
  if (name === undefined) return null;
  const column = columns.indexOf(name);
  const draw = createBars(rows.map((row) => Number(row[column] ?? 0)));
  return draw && { column, draw };
}
