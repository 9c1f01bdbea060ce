/** `npm run build`: bundles what `npx vodhouse` runs into `dist`. Types are checked by `npm run typecheck`. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

/** The command, the files that it starts as processes and threads, and what bench/*.js import. */
const ENTRY_POINTS = [
  'src/cli/main.ts',
  'src/backup/backup-child.ts',
  'src/publishing/publish-child.ts',
  'src/publishing/load-child.ts',
  'src/web/process/entry.ts',
  'src/web/reader-thread.ts',
  'src/database/sqlite.ts',
];

/** Some libraries are CommonJS modules, which call `require` for modules of Node. */
const REQUIRE = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  'const require = createBundleRequire(import.meta.url);',
].join('\n');

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** `preserveSymlinks`: a bundle names its modules by the same paths where `node_modules` is a link. */
const SHARED = {
  bundle: true,
  format: 'esm',
  minifyWhitespace: true,
  legalComments: 'none',
  preserveSymlinks: true,
  logLevel: 'warning',
};

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  ...SHARED,
  entryPoints: ENTRY_POINTS,
  outbase: 'src',
  outdir: 'dist',
  splitting: true, // a process loads only the chunks that it needs
  chunkNames: 'chunks/[hash]',
  platform: 'node',
  target: 'node20.19',
  external: [...Object.keys(dependencies), 'pg-native'], // users install them; all other libraries are in the bundles
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_PG_FORCE_NATIVE': 'undefined' }, // pg-native is not installed
  banner: { js: REQUIRE },
  metafile: true,
});
await build({
  ...SHARED,
  entryPoints: ['src/browser/page.ts'],
  outdir: 'dist/browser',
  target: 'es2023',
});
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
