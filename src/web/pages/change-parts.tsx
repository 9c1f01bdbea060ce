/** How a change of a video is shown, in lists and tables. */
import type { Change, ChangeRow } from '../../queries/named/changes.ts';
import { nameFields } from '../../publishing/marts/video-columns.ts';
import { formatLength, formatSize, Title } from './format.tsx';
import { findMeaning } from './glossary.tsx';
import { TextChange } from './text-change.tsx';

const LEVELS: Record<Change, string> = { added: 'good', edited: 'new', removed: 'bad', restored: 'warn' };

export const ChangeBadge = ({ change }: { change: Change }) => (
  <span class={`state ${LEVELS[change]}`} title={findMeaning(change)}>
    {change}
  </span>
);

/** The title after the change, with what was replaced in it. */
export function ChangedTitle({ change }: { change: ChangeRow }) {
  const { title, title_before: before } = change;
  if (!listFields(change).includes('title')) return <Title title={title} />;
  return <TextChange old={before} text={title} show={(text) => <Title title={text} />} />;
}

/** The fields that it changed, or length and size of a video that was added. `unit`: of the service's `duration`. */
export function describeChange(row: ChangeRow, unit: 'ms' | 's'): string[] {
  if (row.change === 'removed') return [];
  if (row.change !== 'added') return [listFields(row).join(', ')].filter((text) => text !== '');
  const { duration, filesize, removed_at: removedAt } = row;
  const texts = [
    formatLength(duration, unit),
    formatSize(filesize),
    removedAt === null ? '' : 'since removed',
  ];
  return texts.filter((text) => text !== '');
}

/** The published column of each field: the pages have the words of the file. */
const COLUMNS = nameFields({ durationUnit: 'ms', exclude: [] });

/** The fields that a change changed, by their published names. */
export function listFields({ changed_fields: fields }: Pick<ChangeRow, 'changed_fields'>): string[] {
  const names = (fields ?? '').split(' ').filter((name) => name !== '');
  return [...new Set(names.map((name) => COLUMNS.get(name) ?? name))];
}
