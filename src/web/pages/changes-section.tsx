/** The latest additions, edits and removals. */
import type { ComponentChildren } from 'preact';
import type { Added, Edited, Removed } from '../../queries/named/changes.ts';
import type { StatusView } from '../status-view.ts';
import {
  formatLength,
  formatSize,
  packagePath,
  RelativeTime,
  Title,
  VideoLink,
  videoPath,
} from './format.tsx';

type ChangesProps = Pick<StatusView, 'added' | 'edited' | 'removed' | 'now'> & { unit: 'ms' | 's' };

export function ChangesSection({ added, edited, removed, now, unit }: ChangesProps) {
  return (
    <div id="changes" class="columns" data-part>
      <List id="added" heading="Latest additions" none="None yet.">
        {added.map((row) => (
          <Addition key={videoPath(row)} row={row} now={now} unit={unit} />
        ))}
      </List>
      <List id="edited" heading="Latest edits" none="None among the last 1,000 changes.">
        {edited.map((row) => (
          <Edit key={videoPath(row)} row={row} now={now} />
        ))}
      </List>
      <List id="removed" heading="Latest removals" none="None that is still removed.">
        {removed.map((row) => (
          <Removal key={videoPath(row)} row={row} now={now} />
        ))}
      </List>
    </div>
  );
}

type ListProps = { id: string; heading: string; none: string; children: ComponentChildren[] };

function List({ id, heading, none, children }: ListProps) {
  return (
    <section id={id} class="card" aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{heading}</h2>
      {children.length === 0 ? <p class="soft">{none}</p> : <ul class="changes">{children}</ul>}
    </section>
  );
}

function Addition({ row, now, unit }: { row: Added; now: number; unit: 'ms' | 's' }) {
  const details = [formatLength(row.duration, unit), formatSize(row.filesize)].filter((text) => text !== '');
  return (
    <li>
      <VideoLink video={row} />
      <Details row={row}>
        <RelativeTime at={row.first_seen_at} now={now} />
        {details.length > 0 && ` · ${details.join(' · ')}`}
        {row.removed_at !== null && ' · since removed'}
      </Details>
    </li>
  );
}

function Edit({ row, now }: { row: Edited; now: number }) {
  return (
    <li>
      <a href={videoPath(row)}>
        {row.old_title === row.title ? (
          <Title title={row.title} />
        ) : (
          <span class="titles">
            <del>
              <Title title={row.old_title} />
            </del>{' '}
            <ins>
              <Title title={row.title} />
            </ins>
          </span>
        )}
      </a>
      <Details row={row}>
        <RelativeTime at={row.at} now={now} /> · {formatEdit(row)}
      </Details>
    </li>
  );
}

function formatEdit({ returned, fields }: Edited): string {
  const names = fields.trim().replaceAll(' ', ', ');
  if (returned === 0) return names;
  return names === '' ? 'restored' : `restored, with another ${names}`;
}

function Removal({ row, now }: { row: Removed; now: number }) {
  return (
    <li>
      <VideoLink video={row} />
      <Details row={row}>
        <RelativeTime at={row.removed_at} now={now} />
      </Details>
    </li>
  );
}

type RowOfPackage = { account: string; package_id: number; package_name: string | null };

function Details({ row, children }: { row: RowOfPackage; children: ComponentChildren }) {
  return (
    <p class="soft">
      <a href={packagePath(row)}>
        <bdi>{row.package_name ?? `${row.account}/${row.package_id}`}</bdi>
      </a>{' '}
      · {children}
    </p>
  );
}
