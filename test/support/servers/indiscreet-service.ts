/** A service that tells the key that it is given, and the search for where that has come to. */
import { AWKWARD_KEY, formsOfKey } from '../fixtures/awkward-key.ts';
import { readFolder } from '../fixtures/folder-of-files.ts';
import type { Reply, SeenRequest } from './scripted-service.ts';
import { listBody, listRefusal, STORAGE, storageBody, videoRecord } from '../fixtures/service-responses.ts';

export const CANARY_KEY = `canary-${AWKWARD_KEY}-1f5e`;

const FORMS = Object.values(formsOfKey(CANARY_KEY));

/** Packages whose answers are asked for again with growing pauses: several seconds. */
export const SLOW_PACKAGES = [11, 12, 13, 14];
/** Packages that are refused at once, and one that is well. */
export const QUICK_PACKAGES = [1, 2, 3, 4, 5, 6];

export function indiscreet({ path, query }: SeenRequest): Reply {
  const key = query.get('key') ?? CANARY_KEY;
  const encoded = encodeURIComponent(key);
  const words = `no ${key}, not even ${encoded} or ?${query.toString()}`;
  if (path === STORAGE) return { body: storageBody([], words) };
  const replies: Record<number, Reply> = {
    1: listRefusal('InvalidKey', words),
    2: listRefusal(`Invalid:${key}`, words),
    3: { status: 401, body: `<h1>${FORMS.join(' ')}</h1>` },
    4: { status: 403, body: JSON.stringify({ error: FORMS }) },
    5: { status: 302, headers: { location: `https://elsewhere.test/login?key=${encoded}` } },
    11: { status: 500, body: `<pre>${words}</pre>` },
    12: { status: 200, body: `<html>${words}</html>` },
    13: { body: listBody({ totalcount: key }) },
    14: { body: listBody({ records: [videoRecord(1)] }).slice(0, 300) + words },
  };
  return replies[Number(query.get('pkg'))] ?? { body: listBody({ records: [videoRecord(1)] }) };
}

/** The names of the texts that hold the key; none, if all is well. */
export function findCanary(texts: Iterable<readonly [string, string | Buffer]>): string[] {
  return [...texts].flatMap(([name, text]) => (FORMS.some((form) => text.includes(form)) ? [name] : []));
}

/** What vodhouse has written into the folder: all but the config and the file of its variables. */
export function writtenFiles(folder: string): [string, Buffer][] {
  return [...readFolder(folder)].filter(([name]) => !name.endsWith('.yaml') && name !== '.env');
}
