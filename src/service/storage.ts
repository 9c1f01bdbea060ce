/**
 * The storage statistics operation: `GET {report_url}/report/stats/video/storage` (docs/service.md 2.3 and
 * 4.2).
 */
import * as z from 'zod';
import { isDay } from '../lib/days.ts';
import { FIGURES, STORAGE_FIELDS, type Figure } from './service-fields.ts';
import { firstIssueText, integer, text } from './field-types.ts';
import { receiveRecord, type ReceivedRecord } from './received-record.ts';

/** Path of the operation below `report_url`. */
export const STORAGE_PATH = '/report/stats/video/storage';

/** The figures are documented as numbers, but a fraction of a piece or a byte is rejected. */
export const storageFigures = Object.fromEntries(
  FIGURES.map((figure) => [figure, integer(STORAGE_FIELDS[figure])]),
) as Record<Figure, ReturnType<typeof integer>>;

const day = z
  .string()
  .refine(isDay, 'is not a calendar date yyyy-mm-dd')
  .meta({ description: 'Date of the record', format: 'date' });

/** One storage record (docs/service.md 2.3). */
export const storageRecord = z.looseObject({ ...storageFigures, date: day });

/** The figures of one day, each exact or null if the service left it out. */
export type StorageDay = Record<Figure, number | null> & { date: string };

/** A day; or why the record cannot be stored, with its date, which is null if it cannot be read. */
type ReadStorageDay = { day: StorageDay } | { refused: { date: string | null; reason: string } };

/** Reads one element of `data.list` from its JSON text, and where it differs from docs/service.md 2.3. */
export function readStorageDay(text: string): ReadStorageDay & Pick<ReceivedRecord, 'drift'> {
  const received = receiveRecord(text, DOCUMENTED);
  return { ...readFields(received), drift: received.drift };
}

const DOCUMENTED = { ...STORAGE_FIELDS, date: { type: 'string' } } as const;

function readFields({ problem, fields }: ReceivedRecord): ReadStorageDay {
  const date = day.safeParse(fields['date']).data ?? null;
  if (problem !== null) return { refused: { date, reason: problem } };
  const result = storageRecord.safeParse(fields);
  if (!result.success) return { refused: { date, reason: firstIssueText(result.error) } };
  const read = result.data;
  if (FIGURES.every((figure) => read[figure] === null)) {
    return { refused: { date, reason: 'holds none of the figures' } };
  }
  return { day: read };
}

/** `message` is `success` on success (docs/service.md 2.3, 7). */
export const storageStatus = z.looseObject({
  message: text({ description: 'success, or what went wrong' }),
});

/** The form of a response; its records are read one by one with `readStorageDay`. */
export const STORAGE_ANSWER = {
  refusal: storageStatus.transform(({ message }) =>
    message === 'success'
      ? null
      : {
          code: message ?? '',
          text: `message ${JSON.stringify(message)}`,
          hint: 'check the key and `auth` of the storage in the config',
        },
  ),
  answer: z.looseObject({ data: z.looseObject({ list: z.array(z.unknown()) }) }),
  path: ['data', 'list'],
};
