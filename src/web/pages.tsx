/** All pages and their files. They read the live file at each request and change nothing. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { VNode } from 'preact';
import { BusyError } from '../lib/errors.ts';
import { takeTurn } from '../service/server/flow-control.ts';
import { NO_SUCH_PATH } from '../service/server/server.ts';
import type { SignIn } from './sign-in.ts';
import { addDataPage } from './pages/data.tsx';
import { Page, renderPage, type PageFrame } from './pages/layout.tsx';
import { addChangesPage } from './pages/list.tsx';
import { addPackagePage } from './pages/package.tsx';
import { addPackagesPage } from './pages/packages.tsx';
import { addRunPage } from './pages/run.tsx';
import { addRunsPage } from './pages/runs.tsx';
import { addStatusPage } from './pages/status.tsx';
import { addStoragePages } from './pages/storage.tsx';
import { addVideoPage } from './pages/video.tsx';
import type { PageSources, Routing } from './pages/routing.ts';

/** The route of all paths that no other route has. */
export const UNKNOWN_PATH = '/*';

const PAGES: readonly ((routing: Routing) => void)[] = [
  addStatusPage,
  addPackagesPage,
  addPackagePage,
  addVideoPage,
  addChangesPage,
  addStoragePages,
  addRunsPage,
  addRunPage,
  addDataPage,
];

const NOT_FOUND = 'No such package, video, run, or account in this warehouse.';

export function addPages(app: FastifyInstance, sources: PageSources, signIn: SignIn, frame: PageFrame): void {
  const onRequest = signIn.requireSignIn;
  const sendPage = (reply: FastifyReply, status: number, page: VNode) =>
    reply.code(status).type('text/html; charset=utf-8').send(renderPage(page));
  const sendNotice = (reply: FastifyReply, status: number, text: string) =>
    sendPage(reply, status, <Notice frame={frame} text={text} />);
  const routing: Routing = {
    sources,
    frame,
    page: (path, render) =>
      void app.get(path, { onRequest }, async (request, reply) => {
        try {
          await takeTurn();
          const page = await render(request, reply);
          return page ? await sendPage(reply, 200, page) : await sendNotice(reply, 404, NOT_FOUND);
        } catch (error) {
          if (!(error instanceof BusyError)) throw error;
          return sendNotice(reply.header('retry-after', 1), 503, `Try again in a moment: ${error.message}.`);
        }
      }),
    download: (path, read) =>
      void app.get(path, { onRequest }, async (request, reply) => {
        const file = read(request);
        if (!file) return sendNotice(reply, 404, NOT_FOUND);
        const { type, fileName, content, bytes } = file;
        if (fileName !== null) void reply.header('content-disposition', `attachment; filename="${fileName}"`);
        if (bytes !== undefined) void reply.header('content-length', bytes);
        return reply.type(type).header('cache-control', 'no-store').send(content);
      }),
  };
  for (const add of PAGES) add(routing);
  // a page for a browser, JSON for a client
  app.get(UNKNOWN_PATH, async (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) return reply.code(404).send(NO_SUCH_PATH);
    await signIn.requireSignIn(request, reply);
    return reply.sent ? reply : sendNotice(reply, 404, 'There is no page at this address.');
  });
}

function Notice({ frame, text }: { frame: PageFrame; text: string }) {
  return (
    <Page {...frame} title={text}>
      <section class="card">
        <h1>{text}</h1>
        <p>
          <a href="/">Status page</a>
        </p>
      </section>
    </Page>
  );
}
