/** The pages for those who read the data. */
import type { FastifyRequest } from 'fastify';
import { createCalendar } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';
import { DataPage } from '../pages/data.tsx';
import { QuestionPage } from '../pages/questions.tsx';
import { clientGoneSignal } from '../../service/server/limits.ts';
import { createDataView } from '../views/data-view.ts';
import { createQuestionView, findQuestion } from '../views/questions-view.ts';
import type { Routing } from './routing.ts';

/** Days of storage in the line to copy. */
const DAYS = 30;

export function addDataRoutes({ options, frame, page, download }: Routing): void {
  const calendar = createCalendar(options.config.timezone);
  page('/data', async (request) => {
    const accounts = options.config.accounts.map(({ name, packages, storage }) => ({
      name,
      packageId: packages[0]?.id ?? null,
      hasStorage: storage !== null,
    }));
    const needsKey = (options.config.server?.keys.length ?? 0) > 0;
    const to = calendar.dayAt(options.clock.now());
    const api = { needsKey, accounts, from: addDays(to, -DAYS), to, origin: getOrigin(request) };
    return <DataPage {...frame} view={createDataView(options)} api={api} />;
  });
  page('/data/questions/:slug', async ({ params }) => {
    const view = await createQuestionView(options, (params as { slug: string }).slug);
    return view && <QuestionPage {...frame} view={view} />;
  });
  download('/data/questions/:slug.csv', async (request, reply) => {
    const question = findQuestion((request.params as { slug: string }).slug);
    if (!question) return null;
    const text = await options.answers?.writeCsv(question, clientGoneSignal(request, reply));
    // the page of the question says why there is none
    if (text === undefined || text === null) return { seeOther: `/data/questions/${question.slug}` };
    return { type: 'text/csv; charset=utf-8', fileName: `${question.slug}.csv`, text };
  });
}

/** The host comes from a header: it goes into a line for a shell only if it is a plain name or address. */
function getOrigin({ protocol, host }: FastifyRequest): string {
  const isPlain = /^[\w.:[\]-]{1,253}$/.test(host);
  return `${protocol === 'https' ? 'https' : 'http'}://${isPlain ? host : 'HOST'}`;
}
