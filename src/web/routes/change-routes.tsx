/** The page of all changes. */
import { clientGoneSignal } from '../../service/server/limits.ts';
import { ChangesPage } from '../pages/changes.tsx';
import { changesQuery, createChangesView } from '../views/changes-view.ts';
import type { Routing } from './routing.ts';

export function addChangeRoutes({ options, frame, page }: Routing): void {
  page('/changes', async (request, reply) => {
    const now = options.clock.now();
    const signal = clientGoneSignal(request, reply);
    const view = await createChangesView(options, changesQuery.parse(request.query), { now, signal });
    return <ChangesPage {...frame} view={view} unit={options.config.durationUnit} />;
  });
}
