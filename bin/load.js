/** Loads a bundle: what a process or a thread of vodhouse runs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { debuglog } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * V8 takes no code that was compiled under other flags, so all processes set these, whatever they were started with. Without the first,
 * V8 compiles the WebAssembly of undici twice, for 0.07 s and 36 MB; the second is what the units and the image set.
 */
const FLAGS = ['--liftoff-only', '--max-semi-space-size=4'];

/**
 * Runs the bundle of that name, such as `cli/main`. Where the build compiled it for this version of Node (packaging/compile.js), it
 * starts in three quarters of the time. Elsewhere, V8 compiles it now; Node 22.8 and later keep what they compiled.
 */
export function load(name) {
  for (const flag of FLAGS) setFlagsFromString(flag);
  const file = fileURLToPath(new URL(`../dist/${name}.cjs`, import.meta.url));
  const compiled = `${file}.${process.version}`;
  const isBuild = process.env.VODHOUSE_COMPILE === 'yes';
  const cachedData = !isBuild && existsSync(compiled) ? readFileSync(compiled) : undefined;
  const require = createRequire(file);
  if (isBuild || cachedData) {
    const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData }); // ASCII: a byte a character
    debuglog('vodhouse')(`${name}: compiled code was ${script.cachedDataRejected ? 'rejected' : 'taken'}`);
    if (isBuild) process.once('exit', () => writeFileSync(compiled, script.createCachedData()));
    script.runInThisContext()(require, file, dirname(file));
  } else {
    module.enableCompileCache?.();
    require(file)(require, file, dirname(file));
  }
}
