import type { Config } from '../config/config.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { openIncidents } from './outbox.ts';
import { openStatusQueries } from '../queries/status-queries.ts';
import { createNotifier, type Notifier, type NotifierParts } from './notifier.ts';

/** What the notifier of a config is opened with. */
export interface NotifierOptions extends Pick<NotifierParts, 'clock' | 'logger' | 'isStale' | 'deadlineMs'> {
  /**
   * Since when what was never read is waited for: a worker gives it two ticks from its start; whoever comes after a run over
   * everything counts from when the file was made.
   */
  since: 'now' | 'always';
}

/** Opens what tells people, over a live file that is up to date; null where the config names nobody. */
export function openNotifier(config: Config, { since, ...surroundings }: NotifierOptions): Notifier | null {
  const { notify } = config;
  if (!notify || (notify.webhook === null && notify.ping === null)) return null;
  const incidents = openIncidents(config.warehouse);
  const overview = openStatusQueries(config.warehouse);
  const madeAt = since === 'always' ? incidents.madeAt() : null;
  const watchedSince = madeAt === null ? surroundings.clock.now() : fromTimestamp(madeAt);
  return createNotifier({
    ...surroundings,
    config: { ...config, notify },
    incidents,
    overview,
    watchedSince,
  });
}
