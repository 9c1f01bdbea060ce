/** `/fleet`: every worker and account of the targets, from their own tables. */
import {
  describeFleetProblem,
  groupByWorker,
  summarizeFleet,
  type FleetEntry,
  type TargetFleet,
} from '../../lib/fleet.ts';
import { formatAgo, formatCount } from '../../lib/format.ts';
import { ClockTime, Message, RelativeTime } from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

const HEAD = ['Worker', 'Account', 'Held', 'Published', 'Last load', '>Rows', 'Verified', 'Version'];

export function FleetPage({
  fleets,
  now,
  ...frame
}: PageFrame & { fleets: readonly TargetFleet[]; now: number }) {
  return (
    <Page {...frame} title="Fleet">
      <h1>Fleet</h1>
      {fleets.map((fleet) => (
        <TargetSection key={fleet.target} fleet={fleet} now={now} />
      ))}
    </Page>
  );
}

function TargetSection({ fleet, now }: { fleet: TargetFleet; now: number }) {
  const { target, entries, error, hint, readAtMs } = fleet;
  const name = `fleet-${target}`;
  return (
    <Section name={name} heading={target} count={`read ${formatAgo(now - readAtMs)}`}>
      {error !== null && (
        <p class="notice">
          <Message text={hint === null ? error : `${error}; ${hint}`} />
        </p>
      )}
      {entries && <p>{summarizeFleet(entries)}.</p>}
      {entries && entries.length > 0 && (
        <Table label={{ by: `${name}-heading` }} head={HEAD}>
          {groupByWorker(entries).flatMap(([worker, own]) =>
            own.map((entry, index) => (
              <AccountRows key={entry.account} entry={entry} worker={index === 0 ? worker : ''} now={now} />
            )),
          )}
        </Table>
      )}
    </Section>
  );
}

function AccountRows({ entry, worker, now }: { entry: FleetEntry; worker: string; now: number }) {
  const { account, isHeld, leaseUntil, publishedAt, lastLoad, lastRows, verifiedAt, version, problems } =
    entry;
  return (
    <>
      <tr>
        <td>
          <bdi>{worker}</bdi>
        </td>
        <th scope="row">
          <bdi>{account}</bdi>
        </th>
        <td class="nowrap">
          {isHeld ? 'until ' : 'free'}
          {isHeld && leaseUntil !== null && <ClockTime at={leaseUntil} now={now} />}
        </td>
        <td class="nowrap">
          <RelativeTime at={publishedAt} now={now} />
        </td>
        <td>{lastLoad}</td>
        <td class="number">{lastRows === null ? '' : formatCount(lastRows)}</td>
        <td class="nowrap">
          <RelativeTime at={verifiedAt} now={now} />
        </td>
        <td>{version}</td>
      </tr>
      {problems.map((problem) => (
        <tr key={problem} class="why">
          <td />
          <td colSpan={HEAD.length - 1}>
            <Message text={describeFleetProblem(problem, entry)} />
          </td>
        </tr>
      ))}
    </>
  );
}
