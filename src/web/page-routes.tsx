/** The routes of the pages: status, package, video, storage by day; and of the JSON that their scripts fetch. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { BusyError } from '../lib/errors.ts';
import type { TargetFleet } from '../lib/fleet.ts';
import { clientGoneSignal } from '../service/server/limits.ts';
import { renderPage, Page, type AssetUrl, type PageFrame } from './pages/layout.tsx';
import { FleetPage } from './pages/fleet.tsx';
import { PackagePage } from './pages/package.tsx';
import { Progress } from './pages/progress-section.tsx';
import { StatusPage } from './pages/status.tsx';
import { StorageDaysPage } from './pages/storage-days.tsx';
import { VideoPage } from './pages/video.tsx';
import type { Login } from './auth/login.ts';
import { rejectUnauthorized } from './auth/access.ts';
import { toChartData } from './storage-calendar.ts';
import { createPackageView, packageQuery } from './package-view.ts';
import { countRunPackages, toRunProgress, toChangeMarker } from './run-progress.ts';
import { createStatusView, createStorageView, statusQuery, type ViewSources } from './status-view.ts';
import { textParam } from './query-params.ts';

export interface PagesOptions extends ViewSources {
  clock: Pick<Clock, 'now'>;
  /** What the targets say of all their workers. Throws BusyError where that is not known in time. */
  readFleets: () => Promise<TargetFleet[]>;
}

const yearQuery = z.object({ year: textParam });
const storageQuery = z.object({ account: textParam });
/** Digits only: not `1e3` or `0x65`. */
const id = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,15})$/)
  .transform(Number)
  .pipe(z.int().min(0));
const packageParams = z.object({ account: z.string(), package: id });
const videoParams = packageParams.extend({ video: id });

/** Adds the pages and the JSON that their scripts fetch. They read the live file at each request and change nothing. */
export function addPages(app: FastifyInstance, options: PagesOptions, login: Login, frame: PageFrame): void {
  addHtmlPages(options, frame, (path, render) => addPage(app, login, frame.assetUrl, path, render));
  addJson(app, options, login);
}

function addHtmlPages(
  options: PagesOptions,
  frame: PageFrame,
  page: (path: string, render: PageRenderer) => void,
): void {
  const { config, details, clock } = options;
  const unit = config.durationUnit;
  page('/', async ({ query }) => {
    const view = createStatusView(options, statusQuery.parse(query), clock.now());
    return <StatusPage {...frame} view={view} unit={unit} />;
  });
  page('/fleet', async () => {
    if (!config.publish?.targets.length) return null;
    return <FleetPage {...frame} fleets={await options.readFleets()} now={clock.now()} />;
  });
  page('/storage/:account', async ({ params, query }) => {
    const { account } = params as { account: string };
    const storage = createStorageView(options, account, clock.now());
    if (storage?.account !== account) return null;
    return <StorageDaysPage {...frame} storage={storage} year={yearQuery.parse(query).year} />;
  });
  page('/packages/:account/:package', async (request, reply) => {
    const params = packageParams.safeParse(request.params);
    if (!params.success) return null;
    const key = { account: params.data.account, packageId: params.data.package };
    const signal = clientGoneSignal(request, reply);
    const query = packageQuery.parse(request.query);
    const view = await createPackageView(options, key, query, { now: clock.now(), signal });
    return view && <PackagePage {...frame} view={view} unit={unit} />;
  });
  page('/packages/:account/:package/videos/:video', async ({ params: raw }) => {
    const params = videoParams.safeParse(raw);
    if (!params.success) return null;
    const key = { account: params.data.account, packageId: params.data.package };
    const states = details.video(key, params.data.video);
    const packageName = details.package(key)?.name ?? null;
    return states && <VideoPage {...frame} {...states} packageName={packageName} unit={unit} />;
  });
}

type PageRenderer = (request: FastifyRequest, reply: FastifyReply) => Promise<VNode | null>;

/** Without access `render` is not called. A page that is null is 404. */
function addPage(
  app: FastifyInstance,
  login: Login,
  assetUrl: AssetUrl,
  path: string,
  render: PageRenderer,
): void {
  app.get(path, async (request, reply) => {
    if (login.sendLoginForm(request, reply)) return reply;
    const send = (status: number, page: VNode) =>
      reply.code(status).type('text/html; charset=utf-8').send(renderPage(page));
    try {
      const page = await render(request, reply);
      return page ? await send(200, page) : await send(404, <Notice assetUrl={assetUrl} text={NOT_FOUND} />);
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      const text = `Try again in a moment: ${error.message}.`;
      void reply.header('retry-after', 1);
      return send(503, <Notice assetUrl={assetUrl} text={text} />);
    }
  });
}

const NOT_FOUND = 'No such package, video or account in this warehouse.';

function Notice({ assetUrl, text }: { assetUrl: AssetUrl; text: string }) {
  return (
    <Page assetUrl={assetUrl} title="vodhouse">
      <section class="card">
        <h1>{text}</h1>
        <p>
          <a href="/">Status page</a>
        </p>
      </section>
    </Page>
  );
}

function addJson(app: FastifyInstance, options: PagesOptions, login: Login): void {
  const { config, details, clock } = options;
  const json = (path: string, read: (query: unknown) => object | null) =>
    app.get(path, async (request, reply) => {
      if (rejectUnauthorized(login.isAuthenticated, request, reply)) return reply;
      const answer = read(request.query);
      void reply.header('cache-control', 'no-store');
      return answer ? reply.send(answer) : reply.code(404).send({ error: 'not found' });
    });
  json('/storage.json', (query) => {
    const { account } = storageQuery.parse(query);
    const storage = createStorageView(options, account, clock.now());
    return storage && toChartData(storage);
  });
  json('/live.json', () => {
    const now = clock.now();
    const running = details.runningRun();
    const progress = running && toRunProgress(running, countRunPackages(config.accounts, running), now);
    const html = <Progress progress={progress} nextRun={options.nextRun(now)} />;
    const stamp = toChangeMarker(details.changeMarker(), running, now);
    return { stamp, running: running !== null, progress: renderToString(html) };
  });
}
