/** The axes of the plot: days and sizes. */
import type UPlot from 'uplot';
import type { Colours } from './colours.ts';
import { formatDayLabels, listDayTicks } from './day-axis.ts';
import { type SizeAxis, formatSizeLabel, listSizeTicks } from './size-axis.ts';

const GAP_PX = 8;
const FONT_PX = 12;

/** What may change while the plot is shown: its colours, and the size axis of the visible days. */
export interface AxesState {
  colours: Colours;
  sizes: SizeAxis;
}

/** Days at the bottom, sizes at the left. */
export function createAxes(state: AxesState): UPlot.Axis[] {
  const font = `${FONT_PX}px ${state.colours.family}`;
  const base: UPlot.Axis = { font, stroke: () => state.colours.inkSoft, ticks: { show: false } };
  const line = { show: true, width: 1, stroke: () => state.colours.line };
  const dayAxis: UPlot.Axis = {
    ...base,
    size: 44,
    lineGap: 1.3,
    grid: { show: false },
    ticks: { ...line, size: 5 },
    border: line,
    gap: 3,
    splits: (u, _axis, min, max) => listDayTicks(min, max, u.over.clientWidth),
    values: (_u, ticks) => formatDayLabels(ticks),
  };
  const sizeAxis: UPlot.Axis = {
    ...base,
    grid: line,
    gap: GAP_PX,
    splits: () => listSizeTicks(state.sizes),
    values: (_u, ticks) => ticks.map((tick) => formatSizeLabel(tick, state.sizes.unit)),
    // null before the first layout; uPlot calls again
    size: (u, values: string[] | null) => (values ? measureWidest(u.ctx, values, font) + 2 * GAP_PX : 60),
  };
  return [dayAxis, sizeAxis];
}

function measureWidest(context: CanvasRenderingContext2D, labels: readonly string[], font: string): number {
  context.save();
  context.font = font;
  const widths = labels.map((label) => context.measureText(label).width);
  context.restore();
  return Math.ceil(Math.max(0, ...widths));
}
