/** Problems between the values of lakes, and with the files of the warehouse. */
import { isAbsolute, relative } from 'node:path';
import { DEFAULT_FILES } from './config.ts';
import type { Found, Surroundings } from './authority-check.ts';
import type { SourceMap } from './source-map.ts';
import { at, findRepeated, listAt, textAt } from './written-values.ts';
import { parseS3Place } from './value-types.ts';

/** Takes the file as it is written, valid or not. */
export function checkLakes(
  settings: unknown,
  sourceMap: SourceMap,
  toAbsolute: Surroundings['toAbsolute'],
): Found[] {
  const targets = listAt(at(settings, 'publish'), 'targets');
  const pathTo = (index: number, key: string) => ['publish', 'targets', index, key];
  const repeat = (key: string, getPlace: (target: unknown) => string | undefined) =>
    findRepeated(targets, getPlace).map(({ index, first }) => {
      const path = pathTo(index, key);
      const value = sourceMap.displayValue(path);
      return { path, message: `${value} is that of targets[${first}] too; expected another place` };
    });
  return [
    ...repeat('folder', (target) => absolute(textAt(target, 'folder'), toAbsolute)),
    ...repeat('s3', getBucket),
    ...targets.flatMap((target, index) => {
      const path = pathTo(index, 'folder');
      const folder = absolute(textAt(target, 'folder'), toAbsolute);
      const reason = folder === undefined ? null : findMisplaced(folder, settings, toAbsolute);
      return reason === null ? [] : [{ path, message: `${sourceMap.displayValue(path)} ${reason}` }];
    }),
    ...targets.flatMap((target, index) => checkLogin(target, (key) => pathTo(index, key))),
  ];
}

const absolute = (path: string | undefined, toAbsolute: Surroundings['toAbsolute']): string | undefined =>
  path === undefined || path.trim() === '' ? undefined : toAbsolute(path);

/** Names of buckets are unique in a store. */
function getBucket(target: unknown): string | undefined {
  const place = parseS3Place(textAt(target, 's3') ?? '');
  if (place === null) return undefined;
  const endpoint = textAt(target, 'endpoint')?.toLowerCase().replace(/\/$/, '') ?? '';
  return JSON.stringify([endpoint, place.bucket, place.prefix]);
}

/** Readers get the folder of a lake: the live file, which is for the worker alone, must not be in it. */
function findMisplaced(
  folder: string,
  settings: unknown,
  toAbsolute: Surroundings['toAbsolute'],
): string | null {
  const live = toAbsolute(textAt(settings, 'warehouse') ?? DEFAULT_FILES.warehouse);
  const published = toAbsolute(textAt(at(settings, 'publish'), 'file') ?? DEFAULT_FILES.publish);
  if (isInside(live, folder))
    return `is, or contains, the folder of the warehouse; expected a folder of its own, such as ${SUGGESTED}`;
  return folder === published ? `is the published file; expected a folder such as ${SUGGESTED}` : null;
}

const SUGGESTED = 'data/lake';

function isInside(file: string, folder: string): boolean {
  const path = relative(folder, file);
  return path === '' || (!isAbsolute(path) && !/^\.\.(?:\/|$)/.test(path));
}

/** Without a login nothing can be written, and without an address the region is a part of it. */
function checkLogin(target: unknown, pathTo: (key: string) => (string | number)[]): Found[] {
  if (at(target, 's3') === undefined) return [];
  const missing = (key: string, expected: string): Found[] =>
    at(target, key) === undefined ? [{ path: pathTo(key), message: `missing; expected ${expected}` }] : [];
  return [
    ...(at(target, 'endpoint') === undefined
      ? missing(
          'region',
          'the region of the bucket, such as eu-central-1; or the `endpoint:` of another store',
        )
      : []),
    ...missing('access_key_id', 'the id of an access key, such as ${AWS_ACCESS_KEY_ID}'),
    ...missing('secret_access_key', 'its secret, such as ${AWS_SECRET_ACCESS_KEY}'),
  ];
}
