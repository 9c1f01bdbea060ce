import { expect, it } from 'vitest';
import { formatBinaryBytes, formatBytes } from '../../src/lib/format.ts';

it.each([
  [0, '0 B', '0 B'],
  [999, '999 B', '999 B'],
  [1000, '1 kB', '1000 B'],
  [1024, '1.02 kB', '1 KiB'],
  [999_499, '999 kB', '976 KiB'],
  [999_500, '1 MB', '976 KiB'],
  [999_950, '1 MB', '977 KiB'],
  [1_048_575, '1.05 MB', '1020 KiB'],
  [1_048_576, '1.05 MB', '1 MiB'],
  [2 ** 40, '1.1 TB', '1 TiB'],
  [999_999_999_999, '1 TB', '931 GiB'],
  [-999_950, '-1 MB', '-977 KiB'],
])('formats %i bytes with a unit below which no thousand is shown: %s, %s', (bytes, decimal, binary) => {
  expect([formatBytes(bytes), formatBinaryBytes(bytes)]).toEqual([decimal, binary]);
});
