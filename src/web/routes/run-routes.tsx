/** The pages of runs. */
import { RunPage } from '../pages/run.tsx';
import { RunsPage } from '../pages/runs.tsx';
import { createRunsView, createRunView, runQuery, runsQuery } from '../views/runs-view.ts';
import { idParam } from '../views/query-params.ts';
import type { Routing } from './routing.ts';

export function addRunRoutes({ options, frame, page }: Routing): void {
  page('/runs', async ({ query }) => {
    return (
      <RunsPage {...frame} view={createRunsView(options, runsQuery.parse(query), options.clock.now())} />
    );
  });
  page('/runs/:run', async ({ params, query }) => {
    const run = idParam.safeParse((params as { run: string }).run);
    if (!run.success) return null;
    const view = createRunView(options, run.data, runQuery.parse(query), options.clock.now());
    return view && <RunPage {...frame} view={view} />;
  });
}
