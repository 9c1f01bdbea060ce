/** The tables of the live file: incidents, and the messages about them. */
import { INCIDENT_EVENTS } from '../../src/lib/incident-events.ts';
import * as schema from '../../src/database/schema/incidents.ts';
import { describeTable, withUnit, enumOf } from './describe-table.ts';

const EVENT = enumOf(
  INCIDENT_EVENTS,
  'failed: a walk, or a complete run. stale: two scheduled times late. restricted: the service asked to wait. discrepancy: it returned other figures for a booked day. held_back: removals wait for a person or a second proof. gap: the service has not returned a day yet. quarantine: records could not be stored. drift: responses do not match the documents. unpublished: the published file lacks changes. target: a target cannot be loaded, refuses an account, or differs. clock: the machine and the service or the file disagree. parked: a run waits for the budget. partial: a full walk did not read every page. unordered: a package is not listed in order of ids. time_zone: most booked days differ. unconfirmed: implausible figures wait for a second reading.',
);
const ACCOUNT = 'Name of the account in the config; NULL if it concerns all of them.';

const incident = describeTable(
  schema.incident,
  'A problem that is reported to `notify.webhook`, once when it begins and once when it ends. Ended ones are kept for `retention.runs_days`.',
  {
    incident_id: 'Number of the incident, increasing.',
    event: EVENT,
    account: ACCOUNT,
    package_id: 'The package that it is about; NULL if it is not about one.',
    text: 'The problem in one sentence, as it was last seen.',
    details: withUnit('JSON', 'Details of the event, as last seen (docs/alerts.md).'),
    since: 'When it began, as far as known.',
    noticed_at: 'When vodhouse noticed it.',
    over_at: 'When vodhouse noticed its end; NULL while it lasts.',
    message_id: 'The newest message about it.',
  },
);

const message = describeTable(
  schema.incidentMessage,
  'One POST to `notify.webhook`, kept until it is delivered and then for `retention.runs_days`. Incidents of one event and account that begin together may share one.',
  {
    message_id:
      'Number of the message, increasing: the messages of an event and account are sent in this order.',
    event: EVENT,
    account: ACCOUNT,
    state: enumOf(schema.MESSAGE_STATES, 'What it reports about its incidents.'),
    body: withUnit('JSON', 'The body that is posted; it contains no key.'),
    created_at: 'When it was written.',
    attempts: withUnit('attempts', 'How many times it was sent or was about to be sent.'),
    next_at: 'From when on it may be sent again.',
    claimed_until: 'Until when a process claims it for sending; NULL if none does.',
    last_error: 'Why the last attempt failed; NULL if it did not, or none was made yet.',
    delivered_at: 'When the webhook accepted it; NULL before.',
    given_up_at:
      'When delivery was given up: after 7 days, or earlier for a reminder that is out of date; NULL otherwise.',
  },
);

export const INCIDENT_TABLES = [incident, message];
