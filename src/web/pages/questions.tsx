/** The list of the questions of the docs, and the page of one with its answer. */
import type { Question } from '../answers/questions.ts';
import { QUESTIONS } from '../answers/questions.ts';
import type { QuestionView } from '../views/questions-view.ts';
import { AnswerTable } from './answer-table.tsx';
import { Timestamp } from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { Paragraphs } from './markdown.tsx';
import { Section } from './section.tsx';

const DATA = { text: 'Data', href: '/data' };

const questionPath = ({ slug }: Pick<Question, 'slug'>) => `/data/questions/${slug}`;

export function QuestionList() {
  return (
    <ul class="questions">
      {QUESTIONS.map((question) => (
        <li key={question.slug}>
          <a href={questionPath(question)}>{question.heading}</a>
        </li>
      ))}
    </ul>
  );
}

export function QuestionPage({ view, ...frame }: PageFrame & { view: QuestionView }) {
  const { question, previous, next } = view;
  return (
    <Page {...frame} title={question.heading} current="data" crumbs={[DATA]} styles={['data.css']}>
      <h1>{question.heading}</h1>
      <Paragraphs text={question.text} />
      <AnswerSection view={view} />
      <Section name="sql" heading="SQL">
        <pre>
          <code data-copy>{question.sql}</code>
        </pre>
      </Section>
      <nav class="pager" aria-label="Questions">
        {previous && (
          <a rel="prev" href={questionPath(previous)}>
            Previous: {previous.heading}
          </a>
        )}
        {next && (
          <a rel="next" href={questionPath(next)}>
            Next: {next.heading}
          </a>
        )}
      </nav>
    </Page>
  );
}

function AnswerSection({ view }: { view: QuestionView }) {
  const { question, answer, publishedAt } = view;
  if (answer === null) {
    return <Notice text="The config publishes no file for readers: add" command="publish: {}" />;
  }
  if (answer === 'no file') {
    return (
      <Notice
        text="There is no file yet. The first run that changes something makes it; or type"
        command={view.publishCommand}
      />
    );
  }
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
    <Section name="answer" heading="Answer">
      {publishedAt !== null && (
        <p class="soft">
          From the file of <Timestamp at={publishedAt} />
        </p>
      )}
      <AnswerTable answer={answer.answer} question={question} csvCommand={view.csvCommand} />
      <div class="soft">
        <Paragraphs text={question.notes} />
      </div>
    </Section>
  );
}

function Notice({ text, command }: { text: string; command: string }) {
  return (
    <p class="notice">
      {text} <code data-copy>{command}</code>
    </p>
  );
}
