/** The last runs on the status page: a strip, and the newest ones. */
import type { RunGlance } from '../../queries/named/runs.ts';
import type { RunRow } from '../../queries/named/status.ts';
import { RunStrip } from './run-strip.tsx';
import { RunTable } from './run-table.tsx';
import { Section } from './section.tsx';

interface RunsSectionProps {
  strip: readonly RunGlance[];
  runs: readonly RunRow[];
  now: number;
}

export function RunsSection({ strip, runs, now }: RunsSectionProps) {
  return (
    <Section name="runs" heading="Last runs" part empty={runs.length === 0 ? 'None yet.' : undefined}>
      <RunStrip runs={strip} now={now} />
      <RunTable label={{ by: 'runs-heading' }} runs={runs} now={now} />
      <p>
        <a href="/runs">All runs</a>
      </p>
    </Section>
  );
}
