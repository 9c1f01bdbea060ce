/** The problems of docs/alerts.md, from the catalogue. */
import { CATALOGUE } from '../../src/health/catalogue.ts';
import { INCIDENT_EVENTS } from '../../src/health/incident-events.ts';
import { code } from './markdown.ts';

/** Every kind, with when it is a problem. */
export function alertsMarkdown(): string {
  const lines = INCIDENT_EVENTS.map((event) => {
    const when = CATALOGUE.find(({ kind }) => kind === event)?.when ?? [];
    return `- ${code(event)}: ${when.join('; or ')}`;
  });
  return `${lines.join('\n')}\n`;
}
