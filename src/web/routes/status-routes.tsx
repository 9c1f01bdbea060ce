/** The status page, and what keeps it up to date. */
import { renderToString } from 'preact-render-to-string';
import { Zone } from '../pages/format.tsx';
import { Progress } from '../pages/tiles-section.tsx';
import { StatusPage } from '../pages/status.tsx';
import { countRunPackages, toChangeMarker, toRunProgress } from '../views/run-progress.ts';
import { createStatusView } from '../views/status-view.ts';
import type { Routing } from './routing.ts';

export function addStatusRoutes({ options, frame, page, json }: Routing): void {
  const { config, details, clock } = options;
  page('/', async () => {
    const view = createStatusView(options, clock.now());
    return <StatusPage {...frame} view={view} unit={config.durationUnit} />;
  });
  json('/live.json', () => {
    const now = clock.now();
    const running = details.runningRun();
    const progress = running && toRunProgress(running, countRunPackages(config.accounts, running), now);
    const html = (
      <Zone.Provider value={config.timezone}>
        <Progress progress={progress} nextRun={options.nextRun(now)} now={now} />
      </Zone.Provider>
    );
    const stamp = toChangeMarker(details.changeMarker(), running, now);
    return { stamp, running: running !== null, progress: renderToString(html) };
  });
}
