/** Both operations of docs/service.md as routes over a catalogue. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../lib/clock.ts';
import { countPages } from '../count-pages.ts';
import { pickFigures } from '../service-fields.ts';
import { STORAGE_PATH, type StorageDay } from '../storage.ts';
import { VIDEO_LIST_PATH, type Paging, type SearchOption } from '../videos.ts';
import type { Authorize } from './api-keys.ts';
import {
  API_ERRORS,
  type ApiErrorCode,
  type Catalogue,
  type VideoPage,
  type VideoQuery,
} from './catalogue.ts';
import { DISCONNECTED, takeTurn } from './flow-control.ts';
import { readStorageQuery, readVideoQuery, UNUSED_OPTION, type PageSizes } from './query.ts';

export interface ServiceOptions extends PageSizes {
  catalogue: Catalogue;
  authorize: { videos: Authorize; storage: Authorize };
  /** The time in milliseconds since 1970, for the date and the age of a response. */
  now: () => number;
}

/** A JSON body, and when its data was read from the service. */
interface Answer {
  body: Buffer;
  readAt?: number | undefined;
}

/** Adds both operations to a server at the paths of docs/service.md 4. */
export function addServiceRoutes(app: FastifyInstance, options: ServiceOptions): void {
  app.get(VIDEO_LIST_PATH, async (request, reply) => {
    const signal = clientGoneSignal(reply);
    return sendAnswer(reply, await videoListAnswer(request, options, signal), options);
  });
  app.get(STORAGE_PATH, async (request, reply) =>
    sendAnswer(reply, await storageAnswer(request, options), options),
  );
}

/**
 * Sends an answer as bytes. Node would join a string with the headers first, which takes a fifth longer for a
 * page of 1,000 videos.
 */
function sendAnswer(reply: FastifyReply, { body, readAt }: Answer, { now }: ServiceOptions): FastifyReply {
  void reply.header('date', new Date(now()).toUTCString()).header('cache-control', 'private, no-cache');
  if (readAt !== undefined) void reply.header('age', Math.max(0, Math.floor((now() - readAt) / SECOND_MS)));
  return reply.type('application/json; charset=utf-8').send(body);
}

async function videoListAnswer(
  request: FastifyRequest,
  options: ServiceOptions,
  signal: AbortSignal,
): Promise<Answer> {
  if (!(await options.authorize.videos(request)))
    return { body: videoErrorBody('InvalidKey', API_ERRORS.InvalidKey) };
  const read = readVideoQuery(request.query, options);
  if ('problem' in read) return { body: videoErrorBody('InvalidParameter', read.problem) };
  await takeTurn();
  signal.throwIfAborted();
  const page = await options.catalogue.videos(read.query, signal);
  if ('errorCode' in page) return { body: videoErrorBody(page.errorCode, page.message) };
  return { body: videoListBody(read.query, read.echo, page), readAt: page.readAt };
}

async function storageAnswer(request: FastifyRequest, options: ServiceOptions): Promise<Answer> {
  if (!(await options.authorize.storage(request))) return { body: storageErrorBody(API_ERRORS.InvalidKey) };
  const read = readStorageQuery(request.query);
  if ('problem' in read) return { body: storageErrorBody(read.problem) };
  const found = await options.catalogue.storage(read.range);
  if ('errorCode' in found) return { body: storageErrorBody(found.message) };
  return { body: storageBody(found.days), readAt: found.readAt };
}

/** Aborts with an InterruptedError when the response has been sent or the client has disconnected. */
export function clientGoneSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => controller.abort(DISCONNECTED));
  return controller.signal;
}

function videoListBody(query: VideoQuery, echo: SearchOption, page: VideoPage): Buffer {
  const { records, totalcount } = page;
  const list = records instanceof Uint8Array ? records : Buffer.from(JSON.stringify(records));
  const totalpage = countPages(totalcount, query.pageSize);
  const paging = { page: query.page, pagesize: query.pageSize, totalcount, totalpage };
  return wrapList(echo, list, { errorCode: 'None', errorMessage: '' }, paging);
}

function videoErrorBody(errorCode: ApiErrorCode, errorMessage: string): Buffer {
  const paging = { page: 0, pagesize: 0, totalcount: 0, totalpage: 0 };
  return wrapList(UNUSED_OPTION, Buffer.from('[]'), { errorCode, errorMessage }, paging);
}

function wrapList(
  option: SearchOption,
  list: Uint8Array,
  errorInfo: { errorCode: string; errorMessage: string },
  paging: Paging,
): Buffer {
  const before = `{"videoInfoList":{"apiVideoSearchOption":${JSON.stringify(option)},"videoInfoList":`;
  const after = `,"errorInfo":${JSON.stringify(errorInfo)},"paging":${JSON.stringify(paging)}}}`;
  return Buffer.concat([Buffer.from(before), list, Buffer.from(after)]);
}

function storageBody(days: readonly StorageDay[]): Buffer {
  const list = days.map((day) => ({ ...pickFigures(day), date: day.date }));
  return Buffer.from(JSON.stringify({ message: 'success', data: { list } }));
}

function storageErrorBody(message: string): Buffer {
  return Buffer.from(JSON.stringify({ message, data: { list: [] } }));
}
