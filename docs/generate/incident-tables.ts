/** The live file described: what people are told of, and the messages that tell it. */
import * as schema from '../../src/database/schema/incidents.ts';
import { describeTable, withUnit, enumOf } from './describe-table.ts';

const EVENT = enumOf(
  schema.INCIDENT_EVENTS,
  'failed: a walk, or a whole run. stale: two ticks late. restricted: the service asked to wait. discrepancy: it says otherwise about a booked day. held_back: removals wait for a person or a second proof. gap: a day is not served yet.',
);
const ACCOUNT = 'Name of the account in the config; NULL where it concerns all of them.';

const incident = describeTable(
  schema.incident,
  'Trouble that `notify.webhook` is told of, once when it begins and once when it is over. Ended ones are kept for `retention.runs_days`.',
  {
    incident_id: 'Number of the incident, rising.',
    event: EVENT,
    account: ACCOUNT,
    package_id: 'The package that it is about; NULL where it is not about one.',
    text: 'What it is, in one sentence; as it was last seen.',
    details: withUnit('JSON', 'What the event has to say, as it was last seen (docs/alerts.md).'),
    since: 'When it began, as far as that is known.',
    noticed_at: 'When vodhouse noticed it.',
    over_at: 'When vodhouse noticed that it is over; NULL while it lasts.',
    message_id: 'The newest message that tells of it.',
  },
);

const message = describeTable(
  schema.incidentMessage,
  'One POST to `notify.webhook`, kept until it was taken and then for `retention.runs_days`. Many incidents of one event and account that begin together have one.',
  {
    message_id: 'Number of the message, rising: in this order those of an event and account are sent.',
    event: EVENT,
    account: ACCOUNT,
    state: enumOf(schema.MESSAGE_STATES, 'What it tells of its incidents.'),
    body: withUnit('JSON', 'What is posted; no key is in it.'),
    created_at: 'When it was written.',
    attempts: withUnit('attempts', 'How often it was sent, or begun to be.'),
    next_at: 'From when on it may be sent again.',
    claimed_until: 'Until when it belongs to the process that sends it; NULL where none does.',
    last_error: 'Why it was not taken the last time; NULL where it was, or was not sent yet.',
    delivered_at: 'When the webhook took it; NULL before.',
    given_up_at:
      'When it was given up untold: after 7 days, or a reminder that came too late; NULL where it was not.',
  },
);

export const INCIDENT_TABLES = [incident, message];
