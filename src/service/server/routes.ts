/** Both operations of service.md as routes over a catalogue; the one place where their steps are put together. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STORAGE_PATH } from '../storage.ts';
import { VIDEO_LIST_PATH } from '../videos.ts';
import { storageRefusalText, storageText, videoListText, videoRefusalText } from './answer.ts';
import type { Catalogue } from './catalogue.ts';
import { createKeyCheck, keyOfHeader, keyOfQuery, type KeyCheck, type StorageAuth } from './keys.ts';
import { readStorageQuery, readVideoQuery, type PageSizes } from './query.ts';

/** What the routes need to know. */
export interface ServiceOptions extends PageSizes {
  catalogue: Catalogue;
  /** The keys that are let in; with none, nobody is. */
  keys: readonly string[];
  /** Where the storage operation wants the key; default `none`: it is open. */
  storageAuth?: StorageAuth;
  /** The days (`yyyy-mm-dd`) whose large figures are written in scientific notation; default none. */
  asDoubles?: (day: string) => boolean;
}

/** Adds both operations to a server at the paths of service.md 4. */
export function addServiceRoutes(app: FastifyInstance, options: ServiceOptions): void {
  const knows = createKeyCheck(options.keys);
  app.get(VIDEO_LIST_PATH, async (request, reply) =>
    sendJson(reply, await videoListAnswer(request, options, knows)),
  );
  app.get(STORAGE_PATH, async (request, reply) =>
    sendJson(reply, await storageAnswer(request, options, knows)),
  );
}

/** As bytes: Node would join a text with the headers first, which costs a fifth more for a page of 1,000. */
function sendJson(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Buffer.from(body));
}

async function videoListAnswer(request: FastifyRequest, options: ServiceOptions, knows: KeyCheck) {
  if (!knows(keyOfQuery(request.query))) return videoRefusalText('InvalidKey', 'key is missing or unknown');
  const read = readVideoQuery(request.query, options);
  if ('problem' in read) return videoRefusalText('InvalidParameter', read.problem);
  const page = await options.catalogue.videos(read.query);
  if (page === null) {
    return videoRefusalText('PackageNotFound', `there is no package ${read.query.packageId}`);
  }
  return videoListText(read.query, read.echo, page);
}

async function storageAnswer(request: FastifyRequest, options: ServiceOptions, knows: KeyCheck) {
  if (!mayReadStorage(request, options.storageAuth ?? 'none', knows)) {
    return storageRefusalText('key is missing or unknown');
  }
  const read = readStorageQuery(request.query);
  if ('problem' in read) return storageRefusalText(read.problem);
  const days = await options.catalogue.storage(read.range);
  return storageText(days, options.asDoubles ?? (() => false));
}

function mayReadStorage(request: FastifyRequest, auth: StorageAuth, knows: KeyCheck): boolean {
  if (auth === 'none') return true;
  return knows(auth === 'query' ? keyOfQuery(request.query) : keyOfHeader(request.headers, auth.header));
}
