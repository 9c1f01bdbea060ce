/** All pages, and the JSON that their scripts fetch. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { VNode } from 'preact';
import { BusyError } from '../../lib/errors.ts';
import { NO_SUCH_PATH } from '../../service/server/limits.ts';
import type { SignIn } from '../auth/sign-in.ts';
import { Page, renderPage, type PageFrame } from '../pages/layout.tsx';
import { addDataRoutes } from './data-routes.tsx';
import { addPackageRoutes } from './package-routes.tsx';
import { addRunRoutes } from './run-routes.tsx';
import type { DownloadReader, PageRenderer, PagesOptions, Routing } from './routing.ts';
import { addStatusRoutes } from './status-routes.tsx';
import { addStorageRoutes } from './storage-routes.tsx';

/** The route of all paths that no other route has. */
export const UNKNOWN_PATH = '/*';

/** Adds the pages and the JSON that their scripts fetch. They read the live file at each request and change nothing. */
export function addPages(
  app: FastifyInstance,
  options: PagesOptions,
  signIn: SignIn,
  frame: PageFrame,
): void {
  const routing: Routing = {
    options,
    frame,
    page: (path, render) => addPage(app, signIn, frame, path, render),
    download: (path, read) => addDownload(app, signIn, frame, path, read),
    json: (path, read) => addJson(app, signIn, path, read),
  };
  addStatusRoutes(routing);
  addPackageRoutes(routing);
  addStorageRoutes(routing);
  addRunRoutes(routing);
  addDataRoutes(routing);
  addUnknownPaths(app, signIn, frame);
}

/** A page for a browser, JSON for a client. */
function addUnknownPaths(app: FastifyInstance, signIn: SignIn, frame: PageFrame): void {
  app.get(UNKNOWN_PATH, async (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) return reply.code(404).send(NO_SUCH_PATH);
    await signIn.requireSignIn(request, reply);
    if (reply.sent) return reply;
    return sendNotFound(reply, frame, 'There is no page at this address.');
  });
}

/** Without access `render` is not called. */
function addPage(
  app: FastifyInstance,
  signIn: SignIn,
  frame: PageFrame,
  path: string,
  render: PageRenderer,
): void {
  app.get(path, { onRequest: signIn.requireSignIn }, async (request, reply) => {
    try {
      const page = await render(request, reply);
      return page ? await sendPage(reply, 200, page) : await sendNotFound(reply, frame);
    } catch (error) {
      return sendBusy(reply, frame, error);
    }
  });
}

function addDownload(
  app: FastifyInstance,
  signIn: SignIn,
  frame: PageFrame,
  path: string,
  read: DownloadReader,
): void {
  app.get(path, { onRequest: signIn.requireSignIn }, async (request, reply) => {
    try {
      const found = await read(request);
      if (!found) return await sendNotFound(reply, frame);
      if ('seeOther' in found) return await reply.redirect(found.seeOther, 303);
      const { type, fileName, text } = found;
      if (fileName !== null) void reply.header('content-disposition', `attachment; filename="${fileName}"`);
      return await reply.type(type).header('cache-control', 'no-store').send(text);
    } catch (error) {
      return sendBusy(reply, frame, error);
    }
  });
}

function sendPage(reply: FastifyReply, status: number, page: VNode): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(renderPage(page));
}

function sendNotFound(reply: FastifyReply, frame: PageFrame, text = NOT_FOUND): FastifyReply {
  return sendPage(reply, 404, <Notice frame={frame} text={text} />);
}

/** Throws an error other than BusyError again. */
function sendBusy(reply: FastifyReply, frame: PageFrame, error: unknown): FastifyReply {
  if (!(error instanceof BusyError)) throw error;
  const text = `Try again in a moment: ${error.message}.`;
  return sendPage(reply.header('retry-after', 1), 503, <Notice frame={frame} text={text} />);
}

const NOT_FOUND = 'No such package, video, run, or account in this warehouse.';

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

function addJson(app: FastifyInstance, signIn: SignIn, path: string, read: () => object): void {
  app.get(path, { onRequest: signIn.requireSignIn }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send(read()),
  );
}
