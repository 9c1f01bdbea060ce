import { pluralize } from '../../lib/format.ts';
import type { PackageWalk } from '../../queries/named/videos.ts';
import { formatChanges, formatElapsed, RelativeTime, StatusLabel } from './format.tsx';
import { Section } from './section.tsx';

export function WalksSection({ walks, now }: { walks: readonly PackageWalk[]; now: number }) {
  return (
    <Section name="walks" heading="Last walks">
      {walks.length === 0 && <p class="soft">None yet.</p>}
      <ul class="changes">
        {walks.map((walk) => (
          <Walk key={walk.walk_id} walk={walk} now={now} />
        ))}
      </ul>
    </Section>
  );
}

function Walk({ walk, now }: { walk: PackageWalk; now: number }) {
  const { status, pages, requests, started_at: start, finished_at: end, error } = walk;
  const counts = `${pluralize(pages, 'page')}, ${pluralize(requests, 'request')}`;
  return (
    <li>
      <StatusLabel status={status} />{' '}
      {`${formatChanges(walk)}, ${counts}${end === null ? '' : `, ${formatElapsed(start, end)}`}`}
      <p class="soft">
        <RelativeTime at={start} now={now} /> · run {walk.run_id}, {walk.mode}
        {error !== null && (
          <>
            {' '}
            · <bdi>{error}</bdi>
          </>
        )}
      </p>
    </li>
  );
}
