/**
 * `npm run build`: bundles what `npx vodhouse` runs into `dist`, and compiles it for this version of Node. A process then loads one
 * compiled file in place of hundreds. Types are checked by `npm run typecheck`.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { compile } from './packaging/compile.js';

/** The command, and the files that it starts as processes and threads: a bundle each (bin/load.js). */
const ENTRY_POINTS = [
  ...['src/cli/main.ts', 'src/backup/backup-child.ts', 'src/publishing/publish-child.ts'],
  'src/publishing/targets/load-child.ts',
  ...['src/web/reader-thread.ts', 'src/web/process/entry.ts'],
];

/** A bundle is one function: as the value of a script, and as what a module exports. */
const HEAD = [
  "(typeof module === 'object' ? module : {}).exports = (function (require, __filename, __dirname) {",
  "const bundleUrl = require('node:url').pathToFileURL(__filename).href;",
].join('\n');

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** `preserveSymlinks`: a bundle names its modules by the same paths where `node_modules` is a link. */
const SHARED = {
  ...{ bundle: true, logLevel: 'warning', minifyWhitespace: true, legalComments: 'none' },
  preserveSymlinks: true,
};
const FOR_NODE = {
  ...{ ...SHARED, platform: 'node', target: 'node20.19', outbase: 'src', outdir: 'dist' },
  external: [...Object.keys(dependencies), 'pg-native'], // users install the dependencies; all other libraries are in the bundles
};

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  ...FOR_NODE,
  format: 'cjs',
  entryPoints: ENTRY_POINTS,
  outExtension: { '.js': '.cjs' },
  jsx: 'automatic',
  jsxImportSource: 'preact',
  alias: { undici: './packaging/undici.js' },
  define: {
    'process.env.NODE_PG_FORCE_NATIVE': 'undefined', // pg-native is not installed
    'import.meta.url': 'bundleUrl',
  },
  banner: { js: HEAD },
  footer: { js: '})' },
  metafile: true,
});
await build({ ...FOR_NODE, format: 'esm', entryPoints: ['src/database/sqlite.ts'] }); // for bench/*.js
await build({
  ...SHARED,
  ...{ format: 'esm', entryPoints: ['src/browser/page.ts'], outdir: 'dist/browser', target: 'es2023' },
});
writeFileSync('dist/LICENSES.txt', licenses(Object.keys(metafile.inputs)));
await compile();

/** The licenses of the packages in the bundle. */
function licenses(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      return `${name} ${version} (${license})\n\n${file ? readFileSync(`${folder}/${file}`, 'utf8') : ''}\n`;
    })
    .join('\n');
}
