/** The chart of storage with its legend, and the links that choose what it shows. */
import { pluralize } from '../../lib/format.ts';
import { describeChart } from '../charts/point-texts.ts';
import { listCorrected, listGaps, type StorageChart } from '../charts/storage-chart.ts';
import { StorageSvg } from '../charts/storage-svg.tsx';
import { formatTotal } from '../views/storage-calendar.ts';
import type { StorageView } from '../views/storage-view.ts';
import { describeDelta } from './format.tsx';

/** `36.7 TiB on 2026-11-22, so far (live)`, and what changed in the range. */
export function StorageHeadline({ storage: { latest, today, delta } }: { storage: StorageView }) {
  if (!latest) return <>No day has been read yet.</>;
  const isLive = latest.state === 'live';
  const kind = isLive ? 'last reading, not booked yet' : 'last booked day';
  return (
    <>
      <strong>{formatTotal(latest)}</strong> on {latest.date},{' '}
      {isLive && latest.date === today ? 'so far (live)' : kind}
      {delta && (
        <>
          {' · '}
          <strong>{describeDelta(delta)}</strong> from {delta.since} to {delta.until}
        </>
      )}
    </>
  );
}

/** The script adds a box at the cursor, with the texts of `data-chart`. */
export function StorageFigure({ storage }: { storage: StorageView }) {
  const { chart } = storage;
  return (
    <figure class="chart" data-chart={storage.path({}, '.json')} data-points={chart.points.length}>
      <div class="chart-plot">
        <StorageSvg chart={chart} label={describeChart(chart)} />
      </div>
      <figcaption>
        <Legend chart={chart} />
        <Marks chart={chart} />
      </figcaption>
    </figure>
  );
}

function Legend({ chart: { mode, daysPerPoint } }: { chart: StorageChart }) {
  if (mode === 'level')
    return (
      <p class="chart-legend soft">All files at the end of each day; the axis is fitted to the sizes.</p>
    );
  return (
    <p class="chart-legend">
      <span class="chart-key chart-growth">Growth</span> <span class="chart-key chart-decline">Decline</span>{' '}
      <span class="soft">{daysPerPoint === 1 ? 'of all files a day' : `in ${daysPerPoint} days each`}</span>
    </p>
  );
}

/** Explains the marks that the chart has. */
function Marks({ chart }: { chart: StorageChart }) {
  const missing = listGaps(chart).reduce((total, { length }) => total + length, 0) * chart.daysPerPoint;
  const corrected = listCorrected(chart).length;
  const texts = [
    ...(missing > 0 ? [`▒ ${pluralize(missing, 'day')} without figures`] : []),
    ...(corrected > 0
      ? [`◆ ${pluralize(corrected, 'day')} corrected after the booking (vodhouse correct)`]
      : []),
    ...(chart.live === null ? [] : ['┊ today is live: it is booked when the day is over']),
  ];
  return texts.length === 0 ? null : <p class="chart-marks soft">{texts.join(' · ')}</p>;
}
