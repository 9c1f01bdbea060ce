import type { VNode } from 'preact';
import type { Added, Edited } from '../../queries/named/changes.ts';
import type { StatusView } from '../views/status-view.ts';
import { formatLength, formatSize, packagePath, RelativeTime, Title, videoPath } from './format.tsx';
import { Section } from './section.tsx';

type ChangesProps = Pick<StatusView, 'added' | 'edited' | 'removed' | 'now'> & { unit: 'ms' | 's' };

export function ChangesSection({ added, edited, removed, now, unit }: ChangesProps) {
  const lists: Omit<ListProps, 'now'>[] = [
    {
      name: 'added',
      heading: 'Latest additions',
      none: 'None yet.',
      changes: added.map((video) => ({ video, at: video.first_seen_at, details: describe(video, unit) })),
    },
    {
      name: 'edited',
      heading: 'Latest edits',
      none: 'None among the last 1,000 changes.',
      changes: edited.map((video) => ({
        video,
        at: video.at,
        title: <EditedTitle video={video} />,
        details: [formatEdit(video)],
      })),
    },
    {
      name: 'removed',
      heading: 'Latest removals',
      none: 'None that is still removed.',
      changes: removed.map((video) => ({ video, at: video.removed_at, details: [] })),
    },
  ];
  return (
    <div id="changes" class="columns" data-part>
      {lists.map((list) => (
        <List key={list.name} {...list} now={now} />
      ))}
    </div>
  );
}

interface Change {
  video: Pick<Added, 'account' | 'package_id' | 'package_name' | 'id' | 'title'>;
  at: string;
  /** Default: that of the video. */
  title?: VNode;
  details: readonly string[];
}

type ListProps = { name: string; heading: string; none: string; changes: readonly Change[]; now: number };

function List({ name, heading, none, changes, now }: ListProps) {
  return (
    <Section name={name} heading={heading}>
      {changes.length === 0 && <p class="soft">{none}</p>}
      {changes.length > 0 && (
        <ul class="changes">
          {changes.map(({ video, at, title, details }) => (
            <li key={videoPath(video)}>
              <a href={videoPath(video)}>{title ?? <Title title={video.title} />}</a>
              <p class="soft">
                <a href={packagePath(video)}>
                  <bdi>{video.package_name ?? `${video.account}/${video.package_id}`}</bdi>
                </a>{' '}
                · <RelativeTime at={at} now={now} />
                {details.map((text) => ` · ${text}`)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function describe({ duration, filesize, removed_at: removedAt }: Added, unit: 'ms' | 's'): string[] {
  const texts = [
    formatLength(duration, unit),
    formatSize(filesize),
    removedAt === null ? '' : 'since removed',
  ];
  return texts.filter((text) => text !== '');
}

function EditedTitle({ video: { title, old_title } }: { video: Edited }) {
  if (old_title === title) return <Title title={title} />;
  return (
    <span class="titles">
      <del>
        <Title title={old_title} />
      </del>{' '}
      <ins>
        <Title title={title} />
      </ins>
    </span>
  );
}

function formatEdit({ returned, fields }: Edited): string {
  const names = fields.trim().replaceAll(' ', ', ');
  if (returned === 0) return names;
  return names === '' ? 'restored' : `restored, with another ${names}`;
}
