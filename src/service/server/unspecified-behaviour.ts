/**
 * Behaviour that docs/service.md leaves open and the server has to choose. That of one parameter is in query.ts, the rest
 * here. The OpenAPI document lists it.
 */
import { API_ERRORS } from './api-errors.ts';

/** The behaviour by case; both read as the end of a sentence that begins with the name of a parameter or member. */
export type UnspecifiedBehaviour = Readonly<Record<string, string>>;

/** The meta of a query parameter's schema (docs/service.md 4.1, 4.2). */
export interface ParameterDoc {
  description: string;
  /** Absent: text. */
  type?: 'integer';
  format?: 'date';
  minimum?: number;
  /** For the OpenAPI document: zod drops the `default` of a schema that transforms. */
  defaultValue?: string | number;
  unspecified?: UnspecifiedBehaviour;
}

/** Of every parameter of both operations. */
export const EVERY_PARAMETER: UnspecifiedBehaviour = {
  'that is empty': 'as if left out',
  'that is given twice': 'the first one counts',
  'that is required, and missing or unreadable': 'rejected',
  'of another name, `filter`, `fromDate` and `toDate` among them': 'ignored',
};

const codes = Object.entries(API_ERRORS).map(([code, meaning]) => [`where ${meaning}`, `\`${code}\``]);

/** Of the responses of the video list (docs/service.md 2.2, 7), by member. */
export const VIDEO_ANSWER = {
  errorCode: {
    ...(Object.fromEntries(codes) as UnspecifiedBehaviour),
    'where several of these hold': 'the first one',
    'of a rejected request': 'sent with HTTP 200',
  },
  videoInfoList: { 'of a rejected request': 'empty' },
  paging: { 'of a rejected request': '0 in all four' },
  totalpage: { 'of an empty list': '0' },
  apiVideoSearchOption: { 'of a rejected request': 'as without search and sort parameters' },
} as const satisfies Record<string, UnspecifiedBehaviour>;

/** Of the responses of the storage statistics (docs/service.md 2.3, 7), by member. */
export const STORAGE_ANSWER = {
  message: { 'of a rejected request': 'the reason in words, with HTTP 200' },
  list: { 'of a rejected request': 'empty', 'of a day that is not known': 'without a record of that day' },
} as const satisfies Record<string, UnspecifiedBehaviour>;

/** Of all other requests. */
export const OTHER_REQUESTS: UnspecifiedBehaviour = {
  'an address that is not percent-encoded': 'HTTP 400',
  'another path, or a method other than GET and HEAD': 'HTTP 404, `{"error": "no such path"}`',
};

/** As sentences, each beginning with `subject` where one is given. */
export function formatUnspecified(behaviour: UnspecifiedBehaviour, subject?: string): string {
  return Object.entries(behaviour)
    .map(([when, answer]) => `${capitalize(subject === undefined ? when : `${subject} ${when}`)}: ${answer}.`)
    .join(' ');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
