/** What people are told of: incidents, and the messages that tell of them, kept in the live file for every process. */
import { toTimestamp, DAY_MS } from '../lib/clock.ts';
import { openLedgerConnection, type Db } from '../database/connection.ts';
import type { IncidentEvent, MessageState } from '../database/schema/incidents.ts';
import * as facts from './statements/incident-facts.ts';
import * as incidents from './statements/incident.ts';
import type { OpenIncident } from './statements/incident.ts';
import * as messages from './statements/incident-message.ts';
import { transact } from '../database/transaction.ts';

export type { IncidentEvent, MessageState, OpenIncident };

/** What is known of an incident when it begins; `details` is JSON, `since` as the warehouse writes moments. */
export interface NewIncident {
  event: IncidentEvent;
  account: string | null;
  packageId: number | null;
  text: string;
  details: string;
  since: string;
}

/** One message to write, and the incidents that it tells of: new ones, or those of these numbers. */
export interface OutboxMessage {
  event: IncidentEvent;
  account: string | null;
  state: MessageState;
  /** The JSON to post. */
  body: string;
  begun: readonly NewIncident[];
  known: readonly number[];
}

/** What a look changes. */
export interface Changes {
  tellings: readonly OutboxMessage[];
  /** Incidents that last and look different now. */
  seen: readonly { id: number; text: string; details: string }[];
}

/** A message that this process may send now. */
export interface ClaimedMessage {
  id: number;
  body: string;
  /** How often it was sent, this time included. */
  attempts: number;
  /** When it was written, as the warehouse writes moments. */
  createdAt: string;
}

/** What came of sending a message; `nextAt`: when it may be sent again (ms), null where it is given up. */
export type DeliveryResult = { error: null } | { error: string; nextAt: number | null };

/** Facts that may be incidents; see statements/incident-facts.ts. */
export interface IncidentFacts {
  failedWalks(): facts.FailedWalk[];
  failedRun(): facts.FailedRun | null;
  storageRuns(account: string): facts.StorageRun[];
  isRunning(): boolean;
  /** When the file was made, as the warehouse writes moments. */
  madeAt(): string | null;
  differences(account: string): facts.Difference[];
  gaps(account: string): ReturnType<typeof facts.openGaps>;
}

export interface Incidents extends IncidentFacts {
  /** The incidents that are not over; what a clock that was ahead wrote of their messages is `now`. */
  open(now: number): OpenIncident[];
  /** A number that changes whenever a message is written. */
  mark(): number;
  /** Stores what a look found, begun at this mark; false, and nothing, where another process has told something since. */
  note(changes: Changes, mark: number, now: number): boolean;
  /** Takes the next message that is due, so that no other process sends it; null where there is none. */
  claim(now: number): ClaimedMessage | null;
  /** Notes what came of it. What was taken lets the others go at once. */
  settle(id: number, sent: DeliveryResult, now: number): void;
  /** Forgets what was over so many days ago. */
  prune(now: number, days: number): void;
  close(): void;
}

/** A process that dies while it sends leaves the message to the others after this. */
const CLAIM_MS = 60_000;
/** No message is put off for longer, in milliseconds. */
export const LONGEST_WAIT_MS = 3_600_000;

/** Opens the incidents of the live file at `path`, which is up to date. */
export function openIncidents(path: string): Incidents {
  const db = openLedgerConnection(path);
  return {
    failedWalks: () => facts.failedWalks(db),
    failedRun: () => facts.failedRun(db),
    storageRuns: (account) => facts.storageRuns(db, account),
    isRunning: () => facts.isRunning(db),
    madeAt: () => facts.madeAt(db),
    differences: (account) => facts.differencesOf(db, account),
    gaps: (account) => facts.openGaps(db, account),
    open: (now) => open(db, now),
    mark: () => messages.newestMessage(db),
    note: (changes, mark, now) => note(db, changes, mark, now),
    claim: (now) => claim(db, now),
    settle: (id, sent, now) => settle(db, id, sent, now),
    prune: (now, days) => prune(db, toTimestamp(now - days * DAY_MS)),
    close: () => void db.$client.close(),
  };
}

function open(db: Db, now: number): OpenIncident[] {
  const at = toTimestamp(now);
  const rows = incidents.openIncidents(db);
  const isAhead = ({ message }: OpenIncident) =>
    [message?.created_at, message?.delivered_at, message?.given_up_at].some((moment) => (moment ?? '') > at);
  if (!rows.some(isAhead)) return rows;
  transact(db, (tx) => messages.clampFutureTimes(tx, at));
  return incidents.openIncidents(db);
}

function momentsAt(now: number): messages.Moments {
  const [latestNext, latestClaim] = [toTimestamp(now + LONGEST_WAIT_MS), toTimestamp(now + CLAIM_MS)];
  return { at: toTimestamp(now), latestNext, latestClaim };
}

function note(db: Db, { tellings, seen }: Changes, mark: number, now: number): boolean {
  const at = toTimestamp(now);
  return transact(db, (tx) => {
    if (messages.newestMessage(tx) !== mark) return false;
    for (const { id, ...row } of seen) incidents.describeIncident(tx, id, row);
    for (const { begun, known, ...message } of tellings) {
      const message_id = messages.insertMessage(tx, message, at);
      for (const { packageId: package_id, ...row } of begun) {
        incidents.insertIncident(tx, { ...row, package_id, noticed_at: at, message_id });
      }
      const overAt = message.state === 'over' ? at : null;
      for (const id of known) incidents.recordNotified(tx, id, message_id, overAt);
    }
    messages.dropReminders(tx, momentsAt(now));
    return true;
  });
}

/** Nothing is written where nothing is due. */
function claim(db: Db, now: number): ClaimedMessage | null {
  const moments = momentsAt(now);
  if (!messages.nextMessage(db, moments)) return null;
  return transact(db, (tx) => {
    messages.dropReminders(tx, moments); // that were being sent when they were told of anew
    const next = messages.nextMessage(tx, moments);
    if (!next) return null;
    const { message_id: id, body, created_at: createdAt } = next;
    messages.claimMessage(tx, id, moments.latestClaim);
    return { id, body, attempts: next.attempts + 1, createdAt };
  });
}

function settle(db: Db, id: number, sent: DeliveryResult, now: number): void {
  const at = toTimestamp(now);
  transact(db, (tx) => {
    if (sent.error === null) {
      messages.recordDelivered(tx, id, at);
      messages.retryAllNow(tx, at);
    } else if (sent.nextAt === null) messages.giveUpMessage(tx, id, at, sent.error);
    else messages.recordPostponed(tx, id, toTimestamp(sent.nextAt), sent.error);
  });
}

function prune(db: Db, at: string): void {
  transact(db, (tx) => {
    incidents.pruneIncidents(tx, at);
    messages.pruneMessages(tx, at);
  });
}
