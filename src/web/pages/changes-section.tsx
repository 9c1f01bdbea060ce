/** The latest additions, edits and removals. */
import type { ComponentChildren } from 'preact';
import type { Added, Edited, Removed } from '../../queries/named/changes.ts';
import type { StatusView } from '../status-view.ts';
import {
  RelativeTime,
  formatByteTitle,
  formatLength,
  packagePath,
  Title,
  VideoLink,
  videoPath,
} from './format.tsx';

type Changes = Pick<StatusView, 'added' | 'edited' | 'removed' | 'now'> & { unit: 'ms' | 's' };

export function ChangesSection({ added, edited, removed, now, unit }: Changes) {
  return (
    <div id="changes" class="columns" data-part>
      <List id="added" heading="Latest additions" none="None yet.">
        {added.map((row) => (
          <Addition key={videoPath(row)} of={row} now={now} unit={unit} />
        ))}
      </List>
      <List id="edited" heading="Latest edits" none="None among the last 1,000 changes.">
        {edited.map((row) => (
          <Edit key={videoPath(row)} of={row} now={now} />
        ))}
      </List>
      <List id="removed" heading="Latest removals" none="None that is still gone.">
        {removed.map((row) => (
          <Removal key={videoPath(row)} of={row} now={now} />
        ))}
      </List>
    </div>
  );
}

type ListParts = { id: string; heading: string; none: string; children: ComponentChildren[] };

function List({ id, heading, none, children }: ListParts) {
  return (
    <section id={id} class="card" aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{heading}</h2>
      {children.length === 0 ? <p class="soft">{none}</p> : <ul class="changes">{children}</ul>}
    </section>
  );
}

function Addition({ of: row, now, unit }: { of: Added; now: number; unit: 'ms' | 's' }) {
  const facts = [formatLength(row.duration, unit), formatByteTitle(row.filesize)].filter(
    (words) => words !== '',
  );
  return (
    <li>
      <VideoLink of={row} />
      <Where of={row}>
        <RelativeTime at={row.first_seen_at} now={now} />
        {facts.length > 0 && ` · ${facts.join(' · ')}`}
        {row.removed_at !== null && ' · removed since'}
      </Where>
    </li>
  );
}

function Edit({ of: row, now }: { of: Edited; now: number }) {
  return (
    <li>
      <a href={videoPath(row)}>
        {row.old_title === row.title ? (
          <Title of={row.title} />
        ) : (
          <span class="titles">
            <del>
              <Title of={row.old_title} />
            </del>{' '}
            <ins>
              <Title of={row.title} />
            </ins>
          </span>
        )}
      </a>
      <Where of={row}>
        <RelativeTime at={row.at} now={now} /> · {editWords(row)}
      </Where>
    </li>
  );
}

function editWords({ returned, fields }: Edited): string {
  const names = fields.trim().replaceAll(' ', ', ');
  if (returned === 0) return names;
  return names === '' ? 'came back' : `came back, with another ${names}`;
}

function Removal({ of: row, now }: { of: Removed; now: number }) {
  return (
    <li>
      <VideoLink of={row} />
      <Where of={row}>
        <RelativeTime at={row.removed_at} now={now} />
      </Where>
    </li>
  );
}

type InPackage = { account: string; package_id: number; package_name: string | null };

function Where({ of: row, children }: { of: InPackage; children: ComponentChildren }) {
  return (
    <p class="soft">
      <a href={packagePath(row)}>
        <bdi>{row.package_name ?? `${row.account}/${row.package_id}`}</bdi>
      </a>{' '}
      · {children}
    </p>
  );
}
