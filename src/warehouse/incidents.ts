/** What people are told of: incidents, and the messages that tell of them, kept in the live file for every process. */
import { toTimestamp } from '../lib/clock.ts';
import { DAY_MS } from '../lib/days.ts';
import { openLedgerConnection, type Db } from './file.ts';
import type { IncidentEvent, MessageState } from './schema/incidents.ts';
import * as facts from './statements/incident-facts.ts';
import * as incidents from './statements/incident.ts';
import type { OpenIncident } from './statements/incident.ts';
import * as messages from './statements/incident-message.ts';
import { look, transact } from './transact.ts';

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
export interface Telling {
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
  tellings: readonly Telling[];
  /** Incidents that last and look different now. */
  seen: readonly { id: number; text: string; details: string }[];
}

/** A message that this process may send now. */
export interface ClaimedMessage {
  id: number;
  body: string;
  /** How often it was sent, this time included. */
  attempts: number;
}

/** What came of sending a message. */
export type Sent = { error: null } | { error: string; nextAt: number };

/** Facts that may be incidents; see statements/incident-facts.ts. */
export interface IncidentFacts {
  failedWalks(): facts.FailedWalk[];
  failedRun(): facts.FailedRun | null;
  isRunning(): boolean;
  /** When the file was made, as the warehouse writes moments. */
  madeAt(): string | null;
  differences(account: string, since: string): facts.Difference[];
  gaps(account: string): ReturnType<typeof facts.openGaps>;
}

export interface Incidents extends IncidentFacts {
  /** The incidents that are not over. */
  open(): OpenIncident[];
  /** A number that changes whenever a message is written. */
  mark(): number;
  /** Stores what a look found, begun at this mark; false, and nothing, where another process has told something since. */
  note(changes: Changes, mark: number, now: number): boolean;
  /** Takes the next message that is due, so that no other process sends it; null where there is none. */
  claim(now: number): ClaimedMessage | null;
  /** Notes what came of it. What was taken lets the others go at once. */
  settle(id: number, sent: Sent, now: number): void;
  /** Gives up what could not be told for too long; says how many messages that were. */
  giveUp(now: number): number;
  /** Forgets what was over so many days ago. */
  prune(now: number, days: number): void;
  close(): void;
}

/** A process that dies while it sends leaves the message to the others after this. */
const CLAIM_MS = 60_000;
export const GIVE_UP_MS = 7 * DAY_MS;

/** Opens the incidents of the live file at `path`, which is up to date. */
export function openIncidents(path: string): Incidents {
  const db = openLedgerConnection(path);
  return {
    failedWalks: () => facts.failedWalks(db),
    failedRun: () => facts.failedRun(db),
    isRunning: () => facts.isRunning(db),
    madeAt: () => facts.madeAt(db),
    differences: (account, since) => facts.differencesOf(db, account, since),
    gaps: (account) => facts.openGaps(db, account),
    open: () => incidents.openIncidents(db),
    mark: () => messages.newestMessage(db),
    note: (changes, mark, now) => note(db, changes, mark, now),
    claim: (now) => claim(db, now),
    settle: (id, sent, now) => settle(db, id, sent, now),
    giveUp: (now) => giveUp(db, now),
    prune: (now, days) => prune(db, toTimestamp(now - days * DAY_MS)),
    close: () => void db.$client.close(),
  };
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
      for (const id of known) incidents.noteTold(tx, id, message_id, overAt);
    }
    return true;
  });
}

/** Nothing is written where nothing is due. */
function claim(db: Db, now: number): ClaimedMessage | null {
  const at = toTimestamp(now);
  if (!messages.nextMessage(db, at)) return null;
  return transact(db, (tx) => {
    const next = messages.nextMessage(tx, at);
    if (!next) return null;
    messages.claimMessage(tx, next.message_id, toTimestamp(now + CLAIM_MS));
    return { id: next.message_id, body: next.body, attempts: next.attempts + 1 };
  });
}

function settle(db: Db, id: number, sent: Sent, now: number): void {
  const at = toTimestamp(now);
  transact(db, (tx) => {
    if (sent.error === null) {
      messages.noteDelivered(tx, id, at);
      messages.hastenMessages(tx, at);
    } else messages.notePutOff(tx, id, toTimestamp(sent.nextAt), sent.error);
  });
}

function giveUp(db: Db, now: number): number {
  const before = toTimestamp(now - GIVE_UP_MS);
  if (look(db, (tx) => messages.countWaiting(tx, before)) === 0) return 0;
  return transact(db, (tx) => messages.giveUpMessages(tx, before, toTimestamp(now)));
}

function prune(db: Db, at: string): void {
  transact(db, (tx) => {
    incidents.pruneIncidents(tx, at);
    messages.pruneMessages(tx, at);
  });
}
