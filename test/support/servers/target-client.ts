/** Statements on a target, by a client that is made for it. */
import { expect } from 'vitest';
import type { PostgresTargetConfig } from '../../../src/config/config.ts';
import { createTargetClient } from '../../../src/publishing/targets/postgres/connection-options.ts';
import { describeTargetError } from '../../../src/publishing/targets/postgres/target-errors.ts';
import type { TargetFailure } from '../../../src/publishing/targets/postgres/target-failure.ts';

/** A password with what addresses must encode, and as they have it. */
export const WORD = 'p@ss/wörd 100%';
export const ENCODED = encodeURIComponent(WORD);

/** The rows of one statement, by a client of the target. */
export async function ask<Row extends object>(target: PostgresTargetConfig, sql: string): Promise<Row[]> {
  const client = createTargetClient(target);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Connects, and describes the error that ends it. No password may be in it. */
export async function fail(target: PostgresTargetConfig, sql = 'SELECT 1'): Promise<TargetFailure> {
  try {
    await ask(target, sql);
  } catch (error) {
    const failure = describeTargetError(error, target);
    for (const secret of [WORD, ENCODED, 'wrong-word']) expect(JSON.stringify(failure)).not.toContain(secret);
    return failure;
  }
  throw new Error('there was no error');
}
