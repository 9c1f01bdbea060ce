/** The form of a kind of problem, and of one problem: what status, pages, alerts and readiness render. */
import type { IncidentEvent } from '../lib/incident-events.ts';
import type { FormatCommand } from './commands.ts';
import type { HealthFacts } from './facts.ts';

/** What a problem concerns: the worker where all are null. `part`: the storage of an account, or a target by its name. */
export interface Scope {
  account: string | null;
  packageId: number | null;
  part: string | null;
}

export const STORAGE_PART = 'storage';

/** Text, a command to type, or both. */
export interface Advice {
  text: string | null;
  command: string | null;
}

/** One finding of a kind, with what its sentences need. */
export interface Finding {
  /** What is left out is null: see Scope. */
  scope?: Partial<Scope>;
  /** When it began (`YYYY-MM-DD HH:MM:SS` UTC); null if that is not known. */
  since: string | null;
  /** When it is tried again by itself, as above; left out where it is not. */
  nextTry?: string | null;
  /** It keeps an incident open that exists, but opens none, and is not shown. */
  isFading?: boolean;
  /** Packages that it affects, also those without a problem of their own. */
  packages?: number;
}

/** The names of a scope for sentences. */
export interface Names {
  account: string;
  /** A package, `storage of main`, or `account main`. */
  subject: string;
  part: string;
}

/** Everything that vodhouse knows about a kind of problem. */
export interface Kind<Row extends Finding> {
  /** Unique. Incidents are stored by it. */
  kind: string;
  /** What it is, for docs/alerts.md: "is when …". */
  when: string;
  /** The name in `notify.events` and in messages (docs/alerts.md). */
  event: IncidentEvent;
  /** `bad`: something is stale or failed. `note`: worth knowing, no failure. */
  severity: 'bad' | 'attention' | 'note';
  /** A `cause` explains the failures and effects in its scope, a failure the effects; they are shown below it. */
  role?: 'cause' | 'failure' | 'effect';
  /** A cause that does not explain failures, which have reasons of their own. */
  explains?: 'effects';
  /** What it is about: pages link there. */
  place?: 'requests' | 'runs' | 'targets' | 'storage' | 'package';
  find: (facts: HealthFacts) => readonly Row[];
  /** One sentence without a full stop, which changes only with the problem. */
  message: (row: Row) => string;
  /** The text of an alert, where it has more than the message. */
  alertText?: (row: Row) => string;
  /** Lines below the message: examples, possibly in the words of the service. */
  details?: (row: Row) => readonly string[];
  advice?: (row: Row, formatCommand: FormatCommand) => readonly Advice[];
  /** The content of the message as fields: the `details` of an alert (docs/alerts.md). */
  fields?: (row: Row) => Readonly<Record<string, unknown>>;
  /** The sentence of an alert when it is over. */
  resolved: (names: Names) => string;
  /** Of a package: its state in two or three words. */
  state?: (row: Row) => string;
  /** What more than ten packages of an account have in common: while it lasts, and when it is over. Left out: they are shown one by one. */
  grouped?: { text: string; over: string };
}

/** A kind as the rest of vodhouse sees it. */
export interface AnyKind extends Pick<
  Kind<Finding>,
  'kind' | 'when' | 'event' | 'severity' | 'role' | 'explains' | 'place' | 'resolved' | 'grouped'
> {
  find: (facts: HealthFacts) => Problem[];
}

export interface Problem {
  of: AnyKind;
  scope: Scope;
  since: string | null;
  nextTry: string | null;
  isFading: boolean;
  packages: number;
  message: string;
  alertText: string;
  details: readonly string[];
  advice: readonly Advice[];
  fields: Readonly<Record<string, unknown>>;
  state: string | null;
  /** The problem that explains this one. */
  causedBy: Problem | null;
}

/** Makes the entry of a kind in the catalogue. */
export function defineKind<Row extends Finding>(given: Kind<Row>): AnyKind {
  const { kind, when, event, severity, role, explains, place, resolved, grouped } = given;
  const of: AnyKind = {
    ...{ kind, when, event, severity, resolved },
    ...(role && { role }),
    ...(explains && { explains }),
    ...(place && { place }),
    ...(grouped && { grouped }),
    find: (facts) => given.find(facts).map((row) => toProblem(row, facts)),
  };
  const toProblem = (row: Row, { formatCommand }: HealthFacts): Problem => ({
    of,
    scope: { account: null, packageId: null, part: null, ...row.scope },
    since: row.since,
    nextTry: row.nextTry ?? null,
    isFading: row.isFading ?? false,
    packages: row.packages ?? 0,
    message: given.message(row),
    alertText: (given.alertText ?? given.message)(row),
    details: given.details?.(row) ?? [],
    advice: given.advice?.(row, formatCommand) ?? [],
    fields: given.fields?.(row) ?? {},
    state: given.state?.(row) ?? null,
    causedBy: null,
  });
  return of;
}
