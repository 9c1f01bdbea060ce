/**
 * `npm run build`: bundles what `npx vodhouse` runs into `dist`. A command then loads a few files in place of hundreds, which
 * halves the time until a run starts. Types are checked by `npm run typecheck`.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

/** The command, and the files that it starts as processes and threads. Shared code is in `chunks`. */
const ENTRY_POINTS = [
  'src/cli/main.ts',
  'src/backup/backup-child.ts',
  'src/database/sqlite.ts', // for bench/*.js
  'src/publishing/child.ts',
  'src/web/reader-thread.ts',
  'src/web/process/entry.ts',
];

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** `preserveSymlinks`: the bundle names its modules by the same paths where `node_modules` is a link. */
const SHARED = {
  ...{ bundle: true, format: 'esm', logLevel: 'warning', minifyWhitespace: true },
  preserveSymlinks: true,
};

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  ...SHARED,
  entryPoints: ENTRY_POINTS,
  outdir: 'dist',
  outbase: 'src',
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  external: [...Object.keys(dependencies), 'pg-native'], // users install the dependencies; all other libraries are in the bundle
  alias: { undici: './packaging/undici.js' },
  define: { 'process.env.NODE_PG_FORCE_NATIVE': 'undefined' }, // pg-native is not installed
  metafile: true,
  // What CommonJS packages expect to find in their scope.
  banner: {
    js: [
      "import { createRequire as createBundleRequire } from 'node:module';",
      'const require = createBundleRequire(import.meta.url);',
      'const __filename = import.meta.filename;',
      'const __dirname = import.meta.dirname;',
    ].join('\n'),
  },
});
await build({ ...SHARED, entryPoints: ['src/browser/page.ts'], outdir: 'dist/browser', target: 'es2023' });
writeFileSync('dist/LICENSES.txt', licenses(Object.keys(metafile.inputs)));

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
