/**
 * What docs/service.md calls "not shown" and a server has to choose: in words, once. Those about a parameter stand beside it
 * in query.ts, the others here. The OpenAPI document says them, and docs/mirror.md lists them.
 */
import type { z } from 'zod';
import { REFUSALS } from './api-errors.ts';

/** What is answered, by the case in which it is; both in words that follow the name of what they are about. */
export type UnspecifiedBehaviour = Readonly<Record<string, string>>;

/** What is said of a query parameter (docs/service.md 4.1, 4.2). */
export interface ParameterNote {
  description: string;
  /** Where it is not the text that a query is made of. */
  type?: 'integer';
  format?: 'date';
  minimum?: number;
  /** What it is taken for where it is left out; zod drops a `default` of a schema that transforms. */
  leftOut?: string | number;
  choices?: UnspecifiedBehaviour;
}

/** The meta of a parameter's schema. */
export function parameterNote(note: ParameterNote): z.core.GlobalMeta {
  return { ...note };
}

/** The choices of a schema that `parameterNote` was given to; none of another one. */
export function choicesOf(schema: z.ZodType): UnspecifiedBehaviour {
  return (schema.meta()?.['choices'] as UnspecifiedBehaviour | undefined) ?? {};
}

/** Choices about the parameters of both operations. */
export const ANY_PARAMETER: UnspecifiedBehaviour = {
  'that is empty': 'as if left out',
  'that is given twice': 'the first one counts',
  'that is needed, and missing or unreadable': 'refused',
  'of another name, `filter`, `fromDate` and `toDate` among them': 'counts for nothing',
};

const codes = Object.entries(REFUSALS).map(([code, meaning]) => [`where ${meaning}`, `\`${code}\``]);

/** Choices about the answers of the video list (docs/service.md 2.2, 7), by the member that they are about. */
export const VIDEO_ANSWER = {
  errorCode: {
    ...(Object.fromEntries(codes) as UnspecifiedBehaviour),
    'where several of these hold': 'the first one',
    'of a refusal': 'sent with HTTP 200',
  },
  videoInfoList: { 'of a refusal': 'empty' },
  paging: { 'of a refusal': '0 in all four' },
  totalpage: { 'of an empty list': '0' },
  apiVideoSearchOption: { 'of a refusal': 'as where nothing was asked for' },
} as const satisfies Record<string, UnspecifiedBehaviour>;

/** Choices about the answers of the storage statistics (docs/service.md 2.3, 7). */
export const STORAGE_ANSWER = {
  message: { 'of a refusal': 'the reason in words, with HTTP 200' },
  list: { 'of a refusal': 'empty', 'of a day that is not known': 'without a record of that day' },
} as const satisfies Record<string, UnspecifiedBehaviour>;

/** Choices about every other request. */
export const OTHER_REQUESTS: UnspecifiedBehaviour = {
  'an address that is not percent-encoded': 'HTTP 400',
  'another path, or a method other than GET and HEAD': 'HTTP 404, `{"error": "no such path"}`',
};

/** The choices as sentences, each begun with the name of what they are about where one is given. */
export function sentencesOf(choices: UnspecifiedBehaviour, about?: string): string {
  return Object.entries(choices)
    .map(([when, answer]) => `${capitalised(about === undefined ? when : `${about} ${when}`)}: ${answer}.`)
    .join(' ');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
