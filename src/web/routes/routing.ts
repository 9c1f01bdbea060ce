/** What the routes of the pages are added with. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import type { Clock } from '../../lib/clock.ts';
import type { PageFrame } from '../pages/layout.tsx';
import type { DataSources } from '../views/data-view.ts';

export interface PagesOptions extends DataSources {
  clock: Pick<Clock, 'now'>;
}

/** Null: no such page (404). */
export type PageRenderer = (request: FastifyRequest, reply: FastifyReply) => Promise<VNode | null>;

/** A file of a page. */
interface Download {
  /** With its charset. */
  type: string;
  /** Null: the browser shows it. */
  fileName: string | null;
  text: string;
}

/** A page to go to where there is nothing to download. Null: no such file (404). */
export type DownloadReader = (request: FastifyRequest) => Promise<Download | { seeOther: string } | null>;

export interface Routing {
  options: PagesOptions;
  frame: PageFrame;
  /** Adds a page: with a key only, in HTML. */
  page: (path: string, render: PageRenderer) => void;
  /** Adds a file to download: with a key only. `fileName` must be plain. */
  download: (path: string, read: DownloadReader) => void;
  /** Adds data for the scripts of the pages: with a key only. */
  json: (path: string, read: () => object) => void;
}
