/** The form of a kind of problem, and of one problem: what status, pages, alerts and readiness render. */
import type { Stream } from '../sync/streams.ts';
import type { Advice } from './advice.ts';
import type { IncidentEvent } from './incident-events.ts';
import type { HealthFacts } from './facts.ts';
import { toSentence } from './text.ts';

/** What a problem concerns: the worker where all are null. `part`: a stream of the account, or a target. */
export interface Scope {
  account: string | null;
  packageId: number | null;
  part: string | null;
}

export const WORKER: Scope = { account: null, packageId: null, part: null };

/** The scope of a stream. */
export const scopeOf = ({ account, stream, packageId }: Stream): Partial<Scope> =>
  packageId === null ? { account, part: stream } : { account, packageId };

/** Two problems of a kind have the same key if they concern the same. */
export const toKey = (kind: string, { account, packageId, part }: Scope): string =>
  JSON.stringify([kind, account, packageId, part]);

/** A link: its text, and the path with its query from the root of the server. */
export interface Place {
  text: string;
  path: string;
}

/** How urgent a problem is, as in the rules of Prometheus: at once, also at night; by day; worth knowing. */
export const SEVERITIES = ['page', 'ticket', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a kind finds. */
export interface Finding {
  /** Parts of the scope that are left out are null. */
  scope?: Partial<Scope>;
  /** When it began (`YYYY-MM-DD HH:MM:SS` UTC); null if that is not known. */
  since: string | null;
  /** When it is tried again by itself, as above; left out where it is not. */
  nextTry?: string | null;
  /** True for a problem that may be over: it keeps its incident open, but opens none, and is not shown. */
  isFading?: boolean;
  /** True for a problem that may soon end by itself: it is shown, but opens no incident yet. */
  isEarly?: boolean;
  /** Packages that it affects, also those without a problem of their own. */
  packages?: number;
  /** One sentence for people without a full stop: who and what. It changes only with the problem. */
  message: string;
  /** Left out where there is nothing to do. */
  advice?: Advice | null;
  /** The technical text, a line each: errors and examples, possibly in the words of the service. */
  details?: readonly string[];
  /** The content of the message as fields: the `details` of an alert (docs/alerts.md). */
  fields?: Readonly<Record<string, unknown>>;
  /** Of a package: its state in two or three words. */
  state?: string | null;
  /** Of accounts with the same cause, which are one item: the message about all of them. */
  shared?: { cause: string; toMessage: (accounts: string) => string } | null;
}

/** Everything that vodhouse knows about a kind of problem. */
export interface Kind {
  /** Its name in `notify.events`, in messages and in stored incidents. */
  kind: IncidentEvent;
  /** When there is such a problem, for the list in docs/alerts.md. */
  when: readonly string[];
  severity: Severity;
  /** Kinds of problems that follow from it, in its own scope or in scopes within that: it covers them. */
  explains?: readonly IncidentEvent[];
  /** The page about it, where it is about no package and no storage. */
  place?: Place;
  find: (facts: HealthFacts) => readonly Finding[];
  /** The end of the sentence about more than ten packages; left out where it is not about packages. */
  grouped?: string;
}

export interface Problem extends Required<Finding> {
  of: Kind;
  scope: Scope;
  /** The problem that explains this one. */
  causedBy: Problem | null;
}

/** What the kind finds in the facts, with nothing left out. */
export function listProblems(of: Kind, facts: HealthFacts): Problem[] {
  const rest = {
    nextTry: null,
    isFading: false,
    isEarly: false,
    packages: 0,
    advice: null,
    details: [],
    fields: {},
    state: null,
    shared: null,
  };
  return of.find(facts).map((found) => {
    const scope = { ...WORKER, ...found.scope };
    const message = toSentence(found.message, scope.account);
    return { of, ...rest, causedBy: null, ...found, scope, message };
  });
}
