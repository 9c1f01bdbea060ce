import { expect } from 'vitest';

/** The error of this class that `run` throws. */
export function catchError<Kind extends Error>(kind: new (...given: never[]) => Kind, run: () => unknown) {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(kind);
  return thrown as Kind;
}
