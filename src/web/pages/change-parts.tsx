/** How a change of a video is shown, in lists and on the page of a video. */
import { diffWordsWithSpace } from 'diff';
import type { VNode } from 'preact';
import { nameFields } from '../../publishing/marts/video-columns.ts';
import type { Change } from '../../database/schema/values.ts';
import type { ChangeRow } from '../../queries/named/changes.ts';
import { formatLength, formatSize, Title } from './format.tsx';
import { findMeaning } from './glossary.tsx';

const LEVELS: Record<Change, string> = {
  imported: 'good',
  added: 'good',
  edited: 'new',
  removed: 'bad',
  restored: 'warn',
  retired: 'new',
  returned: 'new',
};

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

/**
 * The fields that it changed, or length and size of a video that was added. `unit`: of the service's
 * `duration`.
 */
export function describeChange(row: ChangeRow, unit: 'ms' | 's'): string[] {
  if (row.change === 'removed' || row.change === 'retired') return [];
  const texts =
    row.change === 'added' || row.change === 'imported'
      ? [formatLength(row.duration, unit), formatSize(row.filesize), row.gone ? `since ${row.gone}` : '']
      : [listFields(row).join(', ')];
  return texts.filter((text) => text !== '');
}

/** The published column of each field: the pages have the words of the file. */
const COLUMNS = nameFields({ durationUnit: 'ms', exclude: [] });

/** The fields that a change changed, by their published names. */
export function listFields({ changed_fields: fields }: Pick<ChangeRow, 'changed_fields'>): string[] {
  const names = (fields ?? '').split(' ').filter((name) => name !== '');
  return [...new Set(names.map((name) => COLUMNS.get(name) ?? name))];
}

/**
 * More words than these removed and added together: the texts are too different. The time grows with its
 * square.
 */
const MOST_EDITS = 40;
/** Characters of a text; longer ones are not compared. */
const LONGEST = 2_000;

interface TextChangeProps {
  old: string | null;
  text: string | null;
  /** How a text is shown that has too little in common with the other one, or that is missing or empty. */
  show: (text: string | null) => VNode;
}

/**
 * Both texts as one, with the words that differ. Each part is isolated: a mark of direction must not turn the
 * others around.
 */
export function TextChange({ old, text, show }: TextChangeProps) {
  const parts = diffWords(old ?? '', text ?? '');
  if (!parts) {
    return (
      <span class="titles">
        <del>{show(old)}</del> <ins>{show(text)}</ins>
      </span>
    );
  }
  return (
    <span class="text">
      {parts.map(({ value, added, removed }, index) => {
        const part = <bdi key={index}>{value}</bdi>;
        if (removed) return <del key={index}>{part}</del>;
        return added ? <ins key={index}>{part}</ins> : part;
      })}
    </span>
  );
}

/** Null where less than a third of the texts is common. The parts of a side put together are its text. */
export function diffWords(old: string, text: string) {
  if (Math.max(old.length, text.length) > LONGEST) return null;
  const parts = diffWordsWithSpace(old, text, { maxEditLength: MOST_EDITS });
  const count = (isCommon: boolean) =>
    (parts ?? [])
      .filter(({ added, removed }) => (added || removed) !== isCommon)
      .reduce((sum, { value }) => sum + value.trim().length, 0);
  return parts && count(true) > 0 && 4 * count(true) >= count(false) ? parts : null;
}
