/** The targets of the published tables: what each one has, and why a load fails. */
import { summarizeTarget, type TargetReport } from '../../health/targets.ts';
import { formatCount, formatDuration } from '../../lib/format.ts';
import { Message, RelativeTime } from './format.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

const HEAD = ['Target', '>Accounts', '>Up to date', 'Loaded', 'Verified'];
const MAX_NOTES = 8;

/** Nothing where the config has no targets. */
export function TargetsSection({ targets, now }: { targets: readonly TargetReport[]; now: number }) {
  return (
    <div id="targets-part" data-part>
      {targets.length > 0 && (
        <Section name="targets" heading="Targets">
          <Table label={{ by: 'targets-heading' }} head={HEAD}>
            {targets.map((report) => (
              <TargetRows key={report.target} report={report} now={now} />
            ))}
          </Table>
        </Section>
      )}
    </div>
  );
}

function TargetRows({ report, now }: { report: TargetReport; now: number }) {
  const { upToDate, loadedAt, verifiedAt, differing, notes } = summarizeTarget(report, now);
  return (
    <>
      <tr>
        <th scope="row">{report.target}</th>
        <td class="number">{formatCount(report.accounts.length)}</td>
        <td class="number">{formatCount(upToDate)}</td>
        <td class="nowrap">
          <RelativeTime at={loadedAt} now={now} />
          {report.everyMs > 0 && `, every ${formatDuration(report.everyMs)} at most`}
        </td>
        <td class="nowrap">
          {loadedAt !== null && <RelativeTime at={verifiedAt} now={now} />}
          {differing > 0 && `, ${formatCount(differing)} with differences`}
        </td>
      </tr>
      {notes.slice(0, MAX_NOTES).map((text) => (
        <tr key={text} class="why">
          <td />
          <td colSpan={4}>
            <Message text={text} />
          </td>
        </tr>
      ))}
    </>
  );
}
