/** The axes of the plot: calendar days, and sizes from 0. */
import type UPlot from 'uplot';
import type { Colours } from './colours.ts';
import { dayLabels, dayTicks } from './day-axis.ts';
import { type SizeAxis, sizeLabel, sizeTicks } from './size-axis.ts';

const GAP_PX = 8;
const FONT_PX = 12;

const fontOf = ({ family }: Colours) => `${FONT_PX}px ${family}`;

/** Days below, sizes to the left. `now` tells the colours of the moment, `sizes` the axis for what is in sight. */
export function createAxes(now: () => Colours, sizes: () => SizeAxis): UPlot.Axis[] {
  const paint: UPlot.Axis = {
    font: fontOf(now()),
    stroke: () => now().inkSoft,
    gap: GAP_PX,
    ticks: { show: false },
  };
  return [dayAxis(now, paint), sizesAxis(now, paint, sizes)];
}

function dayAxis(now: () => Colours, paint: UPlot.Axis): UPlot.Axis {
  return {
    ...paint,
    size: 44,
    lineGap: 1.3,
    grid: { show: false },
    ticks: { show: true, size: 5, width: 1, stroke: () => now().line },
    border: { show: true, width: 1, stroke: () => now().line },
    gap: 3,
    splits: (u, _axis, min, max) => dayTicks(min, max, u.over.clientWidth),
    values: (_u, ticks) => dayLabels(ticks),
  };
}

function sizesAxis(now: () => Colours, paint: UPlot.Axis, sizes: () => SizeAxis): UPlot.Axis {
  return {
    ...paint,
    grid: { show: true, width: 1, stroke: () => now().line },
    splits: () => sizeTicks(sizes()),
    values: (_u, ticks) => ticks.map((tick) => sizeLabel(tick, sizes().unit)),
    // not known before the first round of layout: uPlot asks again
    size: (u, values: string[] | null) => (values ? widestOf(u.ctx, values, fontOf(now())) + 2 * GAP_PX : 60),
  };
}

function widestOf(context: CanvasRenderingContext2D, labels: readonly string[], font: string): number {
  context.save();
  context.font = font;
  const widths = labels.map((label) => context.measureText(label).width);
  context.restore();
  return Math.ceil(Math.max(0, ...widths));
}
