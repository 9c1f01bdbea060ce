/** The sections of the page of a run that only some runs have. */
import { formatHeldReason } from '../../health/kinds/package-kinds.ts';
import { formatBinaryBytes, formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { HeldByRun, RunDetails } from '../../queries/run-queries.ts';
import type { RunView } from '../views/runs-view.ts';
import { Message, packagePath } from './format.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

/** Rows of a list; the command below the page has all. */
const MOST = 100;

export function FailuresSection({ failures }: Pick<RunDetails, 'failures'>) {
  if (failures.length === 0) return null;
  return (
    <Section name="failures" heading="Not done" count={formatCount(failures.length)}>
      <Table label={{ by: 'failures-heading' }} head={['What', 'Kind', 'Why']}>
        {failures.slice(0, MOST).map(({ account, package_id: id, stream, kind, message }) => (
          <tr key={`${account}/${id ?? ''}/${stream ?? ''}`}>
            <th scope="row">
              <Place account={account} id={id} stream={stream} />
            </th>
            <td>{kind}</td>
            <td class="text">
              <Message text={message} />
            </td>
          </tr>
        ))}
      </Table>
      <More count={failures.length} />
    </Section>
  );
}

/** A package with a link, `storage of ACCOUNT`, or an account. */
function Place({ account, id, stream }: { account: string; id: number | null; stream: string | null }) {
  if (id !== null) {
    return (
      <a href={packagePath({ account, package_id: id })}>
        {account}/{id}
      </a>
    );
  }
  return <>{stream === 'storage' ? `storage of ${account}` : account}</>;
}

function More({ count }: { count: number }) {
  return count > MOST ? <p class="soft">and {formatCount(count - MOST)} more</p> : null;
}

const REQUEST_HEAD = [
  ...['Purpose', 'Account', '>Sent', '>Answered', '>Error status', '>No response', '>Average', '>Received'],
];

/** Waiting is what the limits are for, so it is told without a colour. */
export function RequestsSection({ view: { run, requests, waits } }: { view: RunView }) {
  if (requests.length === 0) {
    if (run.requests === 0 || run.status === 'running') return null;
    return <Section name="requests" heading="Requests" empty="By purpose: no longer stored." />;
  }
  const { waited_ms: waited, longest_ms: longest } = waits;
  return (
    <Section name="requests" heading="Requests">
      <Table label={{ by: 'requests-heading' }} head={REQUEST_HEAD}>
        {requests.map((row) => (
          <RequestRow key={`${row.account}/${row.purpose}`} row={row} />
        ))}
      </Table>
      {waited > 0 && (
        <p class="soft">
          No request in flight for {formatDuration(waited)} in all, at most {formatDuration(longest)} at a
          time: for the limits of an account, before a retry, or for the work in between.
        </p>
      )}
    </Section>
  );
}

function RequestRow({ row }: { row: RunDetails['requests'][number] }) {
  const responses = row.requests - row.unanswered;
  const counts = [row.requests, row.answered, row.error_status, row.unanswered];
  return (
    <tr>
      <th scope="row">{row.purpose}</th>
      <td>{row.account}</td>
      {counts.map((count, index) => (
        <td key={REQUEST_HEAD[index + 2]} class="number">
          {formatCount(count)}
        </td>
      ))}
      <td class="number">{responses === 0 ? '' : formatDuration(Math.round(row.duration_ms / responses))}</td>
      <td class="number">{formatBinaryBytes(row.bytes)}</td>
    </tr>
  );
}

export function HeldBackSection({ rows }: { rows: readonly HeldByRun[] }) {
  if (rows.length === 0) return null;
  return (
    <Section name="held-back" heading="Held back, and still waiting">
      <ul>
        {rows.slice(0, MOST).map((row) => (
          <li key={row.held_by}>
            <Place account={row.account} id={row.package_id} stream={null} />:{' '}
            {pluralize(row.removals, 'removal')}, {formatHeldReason(row.reasons)}
          </li>
        ))}
      </ul>
      <More count={rows.length} />
    </Section>
  );
}

export function QuarantineSection({ rows }: { rows: RunDetails['quarantine'] }) {
  if (rows.length === 0) return null;
  return (
    <Section name="quarantine" heading="Put into quarantine" count={formatCount(rows.length)}>
      <Table label={{ by: 'quarantine-heading' }} head={['Where', 'Record', 'Why']}>
        {rows.slice(0, MOST).map((row, index) => (
          <tr key={index}>
            <th scope="row">
              <Place account={row.account} id={row.package_id} stream={row.stream} />
            </th>
            <td class="text">
              <bdi>{row.record_id}</bdi>
            </td>
            <td class="text">
              <bdi>{row.reason}</bdi>
              {row.resolved_at !== null && ' (resolved)'}
            </td>
          </tr>
        ))}
      </Table>
      <More count={rows.length} />
    </Section>
  );
}
