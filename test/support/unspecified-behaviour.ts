/** The choices of the server as rows of a table, for docs/mirror.md. */
import type { z } from 'zod';
import {
  ANY_PARAMETER,
  choicesOf,
  OTHER_REQUESTS,
  STORAGE_ANSWER,
  VIDEO_ANSWER,
  type UnspecifiedBehaviour,
} from '../../src/service/server/unspecified-behaviour.ts';
import { storageParameters, videoParameters } from '../../src/service/server/query.ts';

/** What docs/service.md leaves open, and what the server does about it; Markdown without line ends. */
export interface NotShown {
  operation: 'both' | 'videos' | 'storage';
  question: string;
  answer: string;
}

/** All that docs/service.md leaves open of both operations, in the order of a request (docs/service.md 2.2, 2.3, 4.1, 4.2, 7). */
export function notShown(): NotShown[] {
  return [
    ...rowsOf('both', { 'a parameter': ANY_PARAMETER }),
    ...rowsOf('videos', quoted(parameterChoices(videoParameters))),
    ...rowsOf('videos', quoted(VIDEO_ANSWER)),
    ...rowsOf('storage', quoted(parameterChoices(storageParameters))),
    ...rowsOf('storage', quoted(STORAGE_ANSWER)),
    ...rowsOf('both', { '': OTHER_REQUESTS }),
  ];
}

function rowsOf(
  operation: NotShown['operation'],
  choices: Readonly<Record<string, UnspecifiedBehaviour>>,
): NotShown[] {
  return Object.entries(choices).flatMap(([about, cases]) =>
    Object.entries(cases).map(([when, answer]) => ({
      operation,
      question: `${about} ${when}`.trim(),
      answer,
    })),
  );
}

function parameterChoices(parameters: z.ZodObject): Record<string, UnspecifiedBehaviour> {
  const named = Object.entries(parameters.shape) as [string, z.ZodType][];
  return Object.fromEntries(named.map(([name, schema]) => [name, choicesOf(schema)]));
}

function quoted(
  choices: Readonly<Record<string, UnspecifiedBehaviour>>,
): Record<string, UnspecifiedBehaviour> {
  return Object.fromEntries(Object.entries(choices).map(([name, cases]) => [`\`${name}\``, cases]));
}
