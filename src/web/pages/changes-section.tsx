/** The latest changes on the status page; many of one run in one package are one line. */
import type { ComponentChildren, VNode } from 'preact';
import { formatCount } from '../../lib/format.ts';
import type { ChangeKind } from '../../queries/changes/find-changes.ts';
import type { ChangeGroup, ChangeLine } from '../../queries/changes/latest-changes.ts';
import type { Added, Edited } from '../../queries/named/changes.ts';
import type { StatusView } from '../views/status-view.ts';
import {
  changesPath,
  formatLength,
  formatSize,
  packagePath,
  RelativeTime,
  runPath,
  Title,
  videoPath,
} from './format.tsx';
import { Section } from './section.tsx';
import { TextChange } from './text-change.tsx';

type ChangesProps = Pick<StatusView, 'changes' | 'now'> & { unit: 'ms' | 's' };

export function ChangesSection({ changes: { added, edited, removed }, now, unit }: ChangesProps) {
  return (
    <div id="changes" class="columns" data-part>
      <List
        {...{ name: 'added', heading: 'Latest additions', none: 'None yet.', lines: added, now }}
        toChange={(video) => ({ at: video.first_seen_at, details: describe(video, unit) })}
      />
      <List
        {...{ name: 'edited', heading: 'Latest edits', lines: edited, now }}
        none="None among the last 1,000 changes."
        toChange={(video) => ({
          at: video.at,
          title: <ChangedTitle old={video.old_title} title={video.title} />,
          details: [formatEdit(video)],
        })}
      />
      <List
        {...{ name: 'removed', heading: 'Latest removals', lines: removed, now }}
        none="None that is still removed."
        toChange={(video) => ({ at: video.removed_at, details: [] })}
      />
    </div>
  );
}

interface VideoColumns {
  account: string;
  package_id: number;
  package_name: string | null;
  id: number;
  title: string | null;
}

interface ListProps<Row> {
  name: ChangeKind;
  heading: string;
  none: string;
  lines: readonly ChangeLine<Row>[];
  /** Without a title: that of the video. */
  toChange: (row: Row) => { at: string; title?: VNode; details: readonly string[] };
  now: number;
}

function List<Row extends VideoColumns>({ name, heading, none, lines, toChange, now }: ListProps<Row>) {
  return (
    <Section name={name} heading={heading} empty={lines.length === 0 ? none : undefined}>
      <ul class="changes">
        {lines.map((line) => {
          if ('group' in line) return <Group key={groupPath(line.group)} group={line.group} now={now} />;
          const { video } = line;
          const { at, title, details } = toChange(video);
          return (
            <li key={videoPath(video)}>
              <a href={videoPath(video)}>{title ?? <Title title={video.title} />}</a>
              <About of={video} at={at} now={now}>
                {details.map((text) => ` · ${text}`)}
              </About>
            </li>
          );
        })}
      </ul>
      <p>
        <a href={changesPath({ kind: name })}>See all</a>
      </p>
    </Section>
  );
}

/** `119 removed in run 14`. */
function Group({ group, now }: { group: ChangeGroup; now: number }) {
  const { kind, run_id: run, count, at } = group;
  return (
    <li>
      <a href={groupPath(group)}>
        <strong>{formatCount(count)}</strong> {kind}
      </a>{' '}
      in <a href={runPath(run)}>run {run}</a>
      <About of={group} at={at} now={now} />
    </li>
  );
}

function groupPath({ run_id: run, kind, account, package_id: id }: ChangeGroup): string {
  return changesPath({ run, kind, package: `${account}/${id}` });
}

type AboutProps = {
  of: Pick<VideoColumns, 'account' | 'package_id' | 'package_name'>;
  at: string;
  now: number;
  children?: ComponentChildren;
};

function About({ of, at, now, children }: AboutProps) {
  return (
    <p class="soft">
      <a href={packagePath(of)}>
        <bdi>{of.package_name ?? `${of.account}/${of.package_id}`}</bdi>
      </a>{' '}
      · <RelativeTime at={at} now={now} />
      {children}
    </p>
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

/** The title of an edited video, with what was replaced in it. */
export function ChangedTitle({ old, title }: { old: string | null; title: string | null }) {
  if (old === title) return <Title title={title} />;
  return <TextChange old={old} text={title} show={(text) => <Title title={text} />} />;
}

function formatEdit({ restored, fields }: Edited): string {
  const names = formatFields(fields);
  if (restored === 0) return names;
  return names === '' ? 'restored' : `restored, with another ${names}`;
}

/** Of names that each end with a space. */
export function formatFields(fields: string): string {
  return fields.trim().replaceAll(' ', ', ');
}
