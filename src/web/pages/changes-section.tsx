/** The latest changes on the status page; many of one kind of a run in one package are one line. */
import { formatCount } from '../../lib/format.ts';
import type { LatestChange } from '../../queries/changes/latest-changes.ts';
import type { ChangeRow } from '../../queries/named/changes.ts';
import type { StatusView } from '../views/status-view.ts';
import { ChangeBadge, ChangedTitle, describeChange } from './change-parts.tsx';
import { changesPath, PackageLink, RelativeTime, runPath, videoPath } from './format.tsx';
import { Section } from './section.tsx';

type ChangesProps = Pick<StatusView, 'changes' | 'now'> & { unit: 'ms' | 's' };

export function ChangesSection({ changes, now, unit }: ChangesProps) {
  return (
    <div id="changes-part" data-part>
      <Section name="changes" heading="Latest changes" empty={changes.length === 0 ? 'None yet.' : undefined}>
        <ul class="changes">
          {changes.map(({ change, count }) => (
            <li key={`${change.change} ${videoPath(change)} ${change.position}`}>
              <ChangeBadge change={change.change} />{' '}
              {count > 1 ? (
                <Group change={change} count={count} />
              ) : (
                <a href={videoPath(change)}>
                  <ChangedTitle change={change} />
                </a>
              )}
              <p class="soft">
                <PackageLink of={change} name={change.package_name} /> ·{' '}
                <RelativeTime at={change.shown_at} now={now} />
                {count === 1 && describeChange(change, unit).map((text) => ` · ${text}`)}
              </p>
            </li>
          ))}
        </ul>
        <p>
          <a href="/changes">All changes</a>
        </p>
      </Section>
    </div>
  );
}

/** `119 videos in run 14`. */
function Group({ change, count }: LatestChange) {
  return (
    <>
      <a href={groupPath(change)}>
        <strong>{formatCount(count)}</strong> videos
      </a>
      {change.run_id !== null && (
        <>
          {' '}
          in <a href={runPath(change.run_id)}>run {change.run_id}</a>
        </>
      )}
    </>
  );
}

function groupPath({ run_id: run, change: kind, account, package_id: id }: ChangeRow): string {
  return changesPath({ run, kind, package: `${account}/${id}` });
}
