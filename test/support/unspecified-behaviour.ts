/** The unspecified behaviour of the server as rows of a table, for docs/mirror.md. */
import type { z } from 'zod';
import {
  EVERY_PARAMETER,
  OTHER_REQUESTS,
  STORAGE_ANSWER,
  VIDEO_ANSWER,
  type ParameterDoc,
  type UnspecifiedBehaviour,
} from '../../src/service/server/unspecified-behaviour.ts';
import { storageParameters, videoParameters } from '../../src/service/server/query.ts';

/** A choice that docs/service.md leaves open, and the behaviour of the server; Markdown without line ends. */
export interface UnspecifiedRow {
  operation: 'both' | 'videos' | 'storage';
  choice: string;
  answer: string;
}

/**
 * All choices that docs/service.md leaves open for both operations, in the order of a request
 * (docs/service.md 2.2, 2.3, 4.1, 4.2, 7).
 */
export function listUnspecified(): UnspecifiedRow[] {
  return [
    ...toRows('both', { 'a parameter': EVERY_PARAMETER }),
    ...toRows('videos', quoteNames(byParameter(videoParameters))),
    ...toRows('videos', quoteNames(VIDEO_ANSWER)),
    ...toRows('storage', quoteNames(byParameter(storageParameters))),
    ...toRows('storage', quoteNames(STORAGE_ANSWER)),
    ...toRows('both', { '': OTHER_REQUESTS }),
  ];
}

function toRows(
  operation: UnspecifiedRow['operation'],
  behaviour: Readonly<Record<string, UnspecifiedBehaviour>>,
): UnspecifiedRow[] {
  return Object.entries(behaviour).flatMap(([about, cases]) =>
    Object.entries(cases).map(([when, answer]) => ({
      operation,
      choice: `${about} ${when}`.trim(),
      answer,
    })),
  );
}

function byParameter(parameters: z.ZodObject): Record<string, UnspecifiedBehaviour> {
  const named = Object.entries(parameters.shape) as [string, z.ZodType][];
  return Object.fromEntries(
    named.map(([name, schema]) => [name, (schema.meta() as ParameterDoc).unspecified ?? {}]),
  );
}

function quoteNames(
  behaviour: Readonly<Record<string, UnspecifiedBehaviour>>,
): Record<string, UnspecifiedBehaviour> {
  return Object.fromEntries(Object.entries(behaviour).map(([name, cases]) => [`\`${name}\``, cases]));
}
