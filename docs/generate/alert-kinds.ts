/** The problems of docs/alerts.md, from the catalogue. */
import { CATALOGUE } from '../../src/health/catalogue.ts';
import { INCIDENT_EVENTS } from '../../src/lib/incident-events.ts';
import { code } from './markdown.ts';

/** Every event, with when its kinds are problems. */
export function alertsMarkdown(): string {
  const lines = INCIDENT_EVENTS.map((event) => {
    const kinds = CATALOGUE.filter((kind) => kind.event === event).map(({ when }) => when);
    return `- ${code(event)}: ${kinds.join('; or ')}`;
  });
  return `${lines.join('\n')}\n`;
}
