/** The targets of the published tables: what each one has, and why a load fails. */
import { summarizeTarget, type TargetSummary } from '../../health/target-summary.ts';
import type { TargetReport } from '../../health/targets.ts';
import { formatCount, formatDuration } from '../../lib/format.ts';
import { Message, RelativeTime } from './format.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

const HEAD = ['Target', '>Accounts', '>Up to date', 'Loaded', 'Verified'];

/** Of the others only the number is shown. */
const MAX_NOTES = 8;

/** Nothing where the config has no targets. */
export function TargetsSection({ targets, now }: { targets: readonly TargetReport[]; now: number }) {
  return (
    <div id="targets-part" data-part>
      {targets.length > 0 && (
        <Section name="targets" heading="Targets">
          <Table label={{ by: 'targets-heading' }} head={HEAD}>
            {targets.map((report) => (
              <TargetRows key={report.target} summary={summarizeTarget(report)} now={now} />
            ))}
          </Table>
        </Section>
      )}
    </div>
  );
}

function TargetRows({ summary, now }: { summary: TargetSummary; now: number }) {
  const { target, everyMs, accounts, upToDate, loadedAt, verifiedAt, differing, notes } = summary;
  const hidden = notes.length - MAX_NOTES;
  return (
    <>
      <tr>
        <th scope="row">{target}</th>
        <td class="number">{formatCount(accounts)}</td>
        <td class="number">{formatCount(upToDate)}</td>
        <td class="nowrap">
          <RelativeTime at={loadedAt} now={now} />
          {everyMs > 0 && `, every ${formatDuration(everyMs)} at most`}
        </td>
        <td class="nowrap">
          {loadedAt !== null && <RelativeTime at={verifiedAt} now={now} />}
          {differing > 0 && `, ${formatCount(differing)} ${differing === 1 ? 'differs' : 'differ'}`}
        </td>
      </tr>
      {notes.slice(0, MAX_NOTES).map(({ text, hint }) => (
        <Note key={text} text={hint === null ? text : `${text}; ${hint}`} />
      ))}
      {hidden > 0 && <Note text={`and ${formatCount(hidden)} more`} />}
    </>
  );
}

function Note({ text }: { text: string }) {
  return (
    <tr class="why">
      <td />
      <td colSpan={4}>
        <Message text={text} />
      </td>
    </tr>
  );
}
