/** The page of all runs. */
import type { RunsView } from '../views/runs-view.ts';
import { Page, type PageFrame } from './layout.tsx';
import { RunStrip } from './run-strip.tsx';
import { RunTable } from './run-tables.tsx';

export function RunsPage({ view, ...frame }: PageFrame & { view: RunsView }) {
  const { strip, runs, before, next, now } = view;
  return (
    <Page {...frame} title="Runs" current="runs" styles={['runs.css']}>
      <section class="card" id="runs" aria-labelledby="runs-heading">
        <h1 id="runs-heading">Runs</h1>
        {strip.length === 0 && <p class="soft">None yet.</p>}
        <RunStrip runs={strip} now={now} />
        {runs.length > 0 && <RunTable label={{ by: 'runs-heading' }} runs={runs} now={now} />}
        {strip.length > 0 && runs.length === 0 && <p class="soft">No more.</p>}
        {(before !== null || next !== null) && (
          <nav class="pager" aria-label="Pages">
            {before !== null && <a href="/runs">Newest</a>}
            {next !== null && (
              <a rel="next" href={`/runs?before=${next}`}>
                Older
              </a>
            )}
          </nav>
        )}
      </section>
    </Page>
  );
}
