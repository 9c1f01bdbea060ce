/** The last walks of a package. */
import type { PackageWalk } from '../../queries/named/videos.ts';
import { runPath } from './format.tsx';
import { Section } from './section.tsx';
import { WalkTable } from './run-tables.tsx';

export function WalksSection({ walks, now }: { walks: readonly PackageWalk[]; now: number }) {
  return (
    <Section name="walks" heading="Last walks">
      {walks.length === 0 ? (
        <p class="soft">None yet.</p>
      ) : (
        <WalkTable
          label={{ by: 'walks-heading' }}
          first="Run"
          walks={walks}
          now={now}
          showFirst={({ run_id: id, mode }) => (
            <>
              <a href={runPath(id)}>{id}</a> <small class="soft">{mode}</small>
            </>
          )}
        />
      )}
    </Section>
  );
}
