/** Which incidents begin, end or change: the problems of now, compared with the open incidents. Pure. */
import type { Config, NotifyConfig } from '../config/config.ts';
import { formatAdvice } from '../health/advice.ts';
import { toKey, type Problem } from '../health/problem.ts';
import { toTimestamp } from '../lib/clock.ts';
import { redactAll } from '../lib/redact.ts';
import type { IncidentChanges, IncidentKey, OpenIncident } from './incident-rows.ts';

/** Finds the changes at `now` (ms). Incidents of events that `notify.events` leaves out stay as they are. */
export function findChanges(
  problems: readonly Problem[],
  openIncidents: readonly OpenIncident[],
  { notify: { events }, secrets }: Pick<Config, 'secrets'> & { notify: NotifyConfig },
  now: number,
): IncidentChanges {
  const isReported = ({ kind }: Problem['of']) => events.includes(kind);
  const reported = problems.filter(({ of }) => isReported(of));
  const active = new Map(reported.map((problem) => [toKey(problem.of.kind, problem.scope), problem]));
  const open = openIncidents.filter(({ kind }) => events.some((event) => event === kind));
  const openKeys = new Set(open.map(keyOf));
  const begins = ({ isFading, isEarly, causedBy }: Problem) =>
    !isFading && !isEarly && !(causedBy && isReported(causedBy.of));
  const describe = (problem: Problem) => ({
    text: redactAll(problem.message, secrets),
    advice: problem.advice && redactAll(formatAdvice(problem.advice), secrets),
    details: JSON.stringify(redactAll(problem.fields, secrets)),
  });
  return {
    opened: [...active].flatMap(([key, problem]) => {
      if (openKeys.has(key) || !begins(problem)) return [];
      const { of, scope, since } = problem;
      return { kind: of.kind, ...scope, since: since ?? toTimestamp(now), ...describe(problem) };
    }),
    closed: open.flatMap((row) => (active.has(keyOf(row)) ? [] : row.id)),
    updated: open.flatMap((row) => {
      const problem = active.get(keyOf(row));
      if (!problem) return [];
      const { text, advice, details } = describe(problem);
      const isSame = row.text === text && row.advice === advice && row.details === details;
      return isSame ? [] : { id: row.id, text, advice, details };
    }),
  };
}

const keyOf = (incident: IncidentKey) => toKey(incident.kind, incident);
