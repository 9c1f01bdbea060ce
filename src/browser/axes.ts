/** The axes of the plot: days and sizes. */
import type UPlot from 'uplot';
import type { Colours } from './colours.ts';
import { formatDayLabels, listDayTicks } from './day-axis.ts';
import { type SizeAxis, formatSizeLabel, listSizeTicks } from './size-axis.ts';

const GAP_PX = 8;
const FONT_PX = 12;

const formatFont = ({ family }: Colours) => `${FONT_PX}px ${family}`;

/** Days at the bottom, sizes at the left. `sizes` returns the axis of the visible days. */
export function createAxes(colours: () => Colours, sizes: () => SizeAxis): UPlot.Axis[] {
  const base: UPlot.Axis = {
    font: formatFont(colours()),
    stroke: () => colours().inkSoft,
    gap: GAP_PX,
    ticks: { show: false },
  };
  return [createDayAxis(colours, base), createSizesAxis(colours, base, sizes)];
}

function createDayAxis(colours: () => Colours, base: UPlot.Axis): UPlot.Axis {
  return {
    ...base,
    size: 44,
    lineGap: 1.3,
    grid: { show: false },
    ticks: { show: true, size: 5, width: 1, stroke: () => colours().line },
    border: { show: true, width: 1, stroke: () => colours().line },
    gap: 3,
    splits: (u, _axis, min, max) => listDayTicks(min, max, u.over.clientWidth),
    values: (_u, ticks) => formatDayLabels(ticks),
  };
}

function createSizesAxis(colours: () => Colours, base: UPlot.Axis, sizes: () => SizeAxis): UPlot.Axis {
  return {
    ...base,
    grid: { show: true, width: 1, stroke: () => colours().line },
    splits: () => listSizeTicks(sizes()),
    values: (_u, ticks) => ticks.map((tick) => formatSizeLabel(tick, sizes().unit)),
    // null before the first layout; uPlot calls again
    size: (u, values: string[] | null) =>
      values ? measureWidest(u.ctx, values, formatFont(colours())) + 2 * GAP_PX : 60,
  };
}

function measureWidest(context: CanvasRenderingContext2D, labels: readonly string[], font: string): number {
  context.save();
  context.font = font;
  const widths = labels.map((label) => context.measureText(label).width);
  context.restore();
  return Math.ceil(Math.max(0, ...widths));
}
