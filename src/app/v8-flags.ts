import { setFlagsFromString } from 'node:v8';

/** Sets two flags of V8, before undici is used. */
export function setV8Flags(): void {
  // Keeps the heap near the size of the live data. Each page is a few megabytes of short-lived data, which would otherwise
  // accumulate to several times that. Measured over 1,000,000 records: 175 MB at the peak instead of 224 MB, at the same speed.
  setFlagsFromString('--heap-growing-percent=80');
  // The HTTP parser of undici, which is WebAssembly, is not compiled a second time by the optimizing compiler: measured over a
  // sync of one empty package, 0.07 s and 36 MB less.
  setFlagsFromString('--liftoff-only');
}
