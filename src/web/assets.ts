/** The style sheets, scripts and pictures of the pages: files of the package, and of the chart library. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { distFile } from '../lib/child-process.ts';

export interface Assets {
  /** Where a file is to be found on this server, by its name (`page.css`). Throws where there is no such file. */
  addressOf: (name: string) => string;
  /** They hold no data: nobody is asked for a key. */
  addRoutes(app: FastifyInstance): void;
}

interface Asset {
  type: string;
  body: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const CHART_FILES = ['uplot/dist/uPlot.iife.min.js', 'uplot/dist/uPlot.min.css'];

/**
 * Reads all of them. They lie in one folder, named for what is in them, so that scripts find each other by relative
 * names; whatever is in there never changes.
 */
export function openAssets(): Assets {
  const assets = new Map(assetFiles().map((file) => [basename(file), readAsset(file)]));
  const version = versionOf(assets);
  return {
    addressOf: (name) => {
      if (!assets.has(name)) throw new Error(`there is no asset ${name}`);
      return `/assets/${version}/${name}`;
    },
    addRoutes: (app) => {
      app.get<{ Params: Record<'version' | 'name', string> }>('/assets/:version/:name', (request, reply) => {
        const asset = request.params.version === version ? assets.get(request.params.name) : undefined;
        if (!asset) {
          reply.callNotFound();
          return;
        }
        void reply
          .header('cache-control', 'public, max-age=31536000, immutable')
          .header('vary', 'accept-encoding');
        void reply.type(asset.type).send(asset.body);
      });
    },
  };
}

/** All that a browser may ask for, as paths. */
function assetFiles(): string[] {
  const { resolve } = createRequire(import.meta.url);
  return [
    ...filesIn(new URL('../../assets/', import.meta.url), ['.css', '.svg']),
    ...filesIn(distFile('browser/'), ['.js']),
    ...CHART_FILES.map((file) => resolve(file)),
  ];
}

function filesIn(folder: URL, extensions: readonly string[]): string[] {
  const names = readdirSync(folder).filter((name) => extensions.includes(extname(name)));
  return names.map((name) => fileURLToPath(new URL(name, folder)));
}

function readAsset(file: string): Asset {
  return { type: TYPES[extname(file)] ?? 'application/octet-stream', body: readFileSync(file) };
}

/** Eight hexadecimal digits that are others as soon as a byte or a name is. */
function versionOf(assets: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256');
  for (const name of [...assets.keys()].sort()) {
    const body = assets.get(name)?.body ?? '';
    hash.update(`${name} ${body.length}\n`).update(body);
  }
  return hash.digest('hex').slice(0, 8);
}
