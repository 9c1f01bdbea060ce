/** The style sheets, scripts and icon of the pages. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PACKAGE_ROOT } from '../lib/package-root.ts';

export type Assets = ReturnType<typeof openAssets>;

/**
 * All assets share one folder, so that scripts can import each other by relative path. Its name is a hash of
 * their content, so that browsers may cache them without limit.
 */
export function openAssets() {
  const files = new Map(listAssetFiles().map((file) => [basename(file), file]));
  const version = hashFiles(files);
  return {
    /** The path of a file on this server, by its name (`page.css`). Throws if there is no such file. */
    getUrl: (name: string): string => {
      if (!files.has(name)) throw new Error(`there is no asset ${name}`);
      return `/assets/${version}/${name}`;
    },
    /** No key is required: assets hold no data. */
    addRoutes: (app: FastifyInstance) =>
      void app.register(fastifyStatic, {
        prefix: '/assets/:version/',
        root: [...new Set([...files.values()].map(dirname))],
        allowedPath: (path, _root, { params }) =>
          (params as { version: string }).version === version && files.has(path.slice(1)),
        index: false,
        acceptRanges: false,
        immutable: true,
        maxAge: '1y',
        setHeaders: (reply, path) => {
          reply.header('vary', 'accept-encoding');
          if (extname(path) === '.js') reply.type('text/javascript; charset=utf-8');
        },
      }),
  };
}

/** The full paths of the assets. */
function listAssetFiles(): string[] {
  return [
    ...listFolder(new URL('assets/', PACKAGE_ROOT), ['.css', '.svg']),
    ...listFolder(new URL('dist/browser/', PACKAGE_ROOT), ['.js']),
  ];
}

function listFolder(folder: URL, extensions: readonly string[]): string[] {
  const path = fileURLToPath(folder);
  const names = readdirSync(path).filter((name) => extensions.includes(extname(name)));
  return names.map((name) => join(path, name));
}

/** Eight hexadecimal digits of a hash of all names and contents. */
function hashFiles(files: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const [name, file] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const body = readFileSync(file);
    hash.update(`${name} ${body.length}\n`).update(body);
  }
  return hash.digest('hex').slice(0, 8);
}
