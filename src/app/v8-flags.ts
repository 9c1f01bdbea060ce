import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from compiling the HTTP parser of undici, which is WebAssembly, a second time: measured over a sync of one empty
 * package, 0.07 s and 36 MB less. To be called before undici is used.
 */
export function setV8Flags(): void {
  setFlagsFromString('--liftoff-only');
}
