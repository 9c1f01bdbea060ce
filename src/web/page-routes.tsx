/** The pages: how things stand, a package, a video, storage by day; and what their scripts ask for. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { BusyError } from '../lib/errors.ts';
import { clientGoneSignal } from '../service/server/limits.ts';
import { renderPage, renderFragment, Page, type AssetUrl, type PageParts } from './pages/layout.tsx';
import { PackagePage } from './pages/package.tsx';
import { Progress } from './pages/progress-section.tsx';
import { StatusPage } from './pages/status.tsx';
import { StorageDaysPage } from './pages/storage-days.tsx';
import { chartOf } from './pages/storage-section.tsx';
import { VideoPage } from './pages/video.tsx';
import { createPackageView, packageQuery, type PackageParts } from './package-view.ts';
import { toRunProgress, toChangeMarker } from './run-progress.ts';
import { createStatusView, createStorageView, type StatusQuery } from './status-view.ts';
import { pageParam, textParam } from './query-params.ts';

export interface PagesParts extends PackageParts {
  clock: Pick<Clock, 'now'>;
}

/** How the pages are reached. */
export interface PageAccess {
  addressOf: AssetUrl;
  /** People came in by a key, and may want to leave. */
  isKeyed: boolean;
  /** Sends away who is not let in, with a form or (`data`) without one: true where that was done. */
  sentAway: (request: FastifyRequest, reply: FastifyReply, what: 'page' | 'data') => boolean;
}

const statusWish = z.object({
  find: textParam,
  storage: textParam,
  page: pageParam,
}) satisfies z.ZodType<StatusQuery>;

const yearWish = z.object({ year: textParam });
const storageWish = z.object({ account: textParam });
/** As links write it: `1e3` and `0x65` are none. */
const id = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,15})$/)
  .transform(Number)
  .pipe(z.int().min(0));
const packageKey = z.object({ account: z.string(), package: id });
const videoKey = packageKey.extend({ video: id });

/** Adds the pages. Every answer is read from the live file at that moment; nothing is changed by any of them. */
export function addPages(app: FastifyInstance, parts: PagesParts, door: PageAccess): void {
  const { config, clock } = parts;
  const answers = createAnswers(app, door);
  const around = { addressOf: door.addressOf, mayLeave: door.isKeyed };
  answers.page('/', async ({ query }) => {
    const facts = createStatusView(parts, statusWish.parse(query), clock.now());
    return <StatusPage {...around} facts={facts} unit={config.durationUnit} />;
  });
  answers.page('/storage/:account', async ({ params, query }) => {
    const { account } = params as { account: string };
    const storage = createStorageView(parts, account, clock.now());
    if (storage?.account !== account) return null;
    return <StorageDaysPage {...around} storage={storage} year={yearWish.parse(query).year} />;
  });
  addVideoPages(answers, parts, around);
  addData(answers, parts);
}

type Answers = ReturnType<typeof createAnswers>;

/** The pages of a package and of a video. */
function addVideoPages({ page }: Answers, parts: PagesParts, around: Around): void {
  const { config, details, clock } = parts;
  const unit = config.durationUnit;
  page('/packages/:account/:package', async (request, reply) => {
    const key = packageKey.safeParse(request.params);
    if (!key.success) return null;
    const { account, package: packageId } = key.data;
    const when = { now: clock.now(), signal: clientGoneSignal(request, reply) };
    const facts = await createPackageView(
      parts,
      { account, packageId },
      packageQuery.parse(request.query),
      when,
    );
    return facts && <PackagePage {...around} facts={facts} unit={unit} />;
  });
  page('/packages/:account/:package/videos/:video', async ({ params }) => {
    const key = videoKey.safeParse(params);
    if (!key.success) return null;
    const { account, package: packageId, video } = key.data;
    const found = details.video({ account, packageId }, video);
    const name = details.package({ account, packageId })?.name ?? null;
    return found && <VideoPage {...around} {...found} packageName={name} unit={unit} />;
  });
}

type Around = Pick<PageParts, 'addressOf' | 'mayLeave'>;

/** What the scripts of the pages ask for. */
function addData({ data }: Answers, parts: PagesParts): void {
  const { config, details, clock } = parts;
  data('/storage.json', ({ query }) => {
    const { account } = storageWish.parse(query);
    const storage = createStorageView(parts, account, clock.now());
    return storage && chartOf(storage);
  });
  data('/live.json', () => {
    const now = clock.now();
    const running = details.running();
    const packages = config.accounts.reduce((sum, account) => sum + account.packages.length, 0);
    const progress = running && toRunProgress(running, packages, now);
    const shown = <Progress progress={progress} nextRun={parts.nextRun(now)} />;
    const stamp = toChangeMarker(details.stamp(), running, now);
    return { stamp, running: running !== null, progress: renderFragment(shown) };
  });
}

type Answer<What> = (request: FastifyRequest, reply: FastifyReply) => What;

/** What nobody is let in to is not gathered; what there is not is a page, or an answer, that says so. */
function createAnswers(app: FastifyInstance, { addressOf, sentAway }: PageAccess) {
  const tell = (words: string) => <Notice addressOf={addressOf} words={words} />;
  return {
    page: (path: string, answer: Answer<Promise<VNode | null>>) =>
      app.get(path, async (request, reply) => {
        if (sentAway(request, reply, 'page')) return reply;
        const send = (code: number, page: VNode) =>
          reply.code(code).type('text/html; charset=utf-8').send(renderPage(page));
        try {
          const page = await answer(request, reply);
          return page ? await send(200, page) : await send(404, tell(NOT_FOUND));
        } catch (error) {
          if (!(error instanceof BusyError)) throw error;
          void reply.header('retry-after', 1);
          return send(503, tell(`Come back in a moment: ${error.message}.`));
        }
      }),
    data: (path: string, answer: Answer<object | null>) =>
      app.get(path, async (request, reply) => {
        if (sentAway(request, reply, 'data')) return reply;
        const found = answer(request, reply);
        void reply.header('cache-control', 'no-store');
        return found ? reply.send(found) : reply.code(404).send({ error: 'there is none' });
      }),
  };
}

const NOT_FOUND = 'There is no such package, video or account in this warehouse.';

function Notice({ addressOf, words }: { addressOf: AssetUrl; words: string }) {
  return (
    <Page addressOf={addressOf} title="vodhouse">
      <section class="card">
        <h1>{words}</h1>
        <p>
          <a href="/">How things stand</a>
        </p>
      </section>
    </Page>
  );
}
