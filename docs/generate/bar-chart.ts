/** A chart of horizontal bars as SVG, readable on a light and a dark background. */

export interface Bar {
  /** A heading above this bar; '' for none. */
  group: string;
  label: string;
  value: number;
  /** Drawn in the colour of the product. */
  isOwn: boolean;
}

const [WIDTH, LABEL, LINE, HEIGHT] = [720, 190, 24, 15];

/** The SVG document; values are printed with two decimals at the end of their bars. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const scale = (WIDTH - LABEL - 70) / most;
  let y = 30;
  const parts = bars.map(({ group, label, value, isOwn }) => {
    const heading = group && `<text class="group" x="0" y="${(y += LINE) - 6}">${group}</text>`;
    const middle = (y += LINE) - LINE + HEIGHT - 3;
    const length = (value * scale).toFixed(1);
    return `${heading}<text x="${LABEL - 8}" y="${middle}" text-anchor="end">${label}</text><rect class="${
      isOwn ? 'own' : 'other'
    }" x="${LABEL}" y="${y - LINE}" width="${length}" height="${HEIGHT}" rx="2"/><text x="${
      LABEL + Number(length) + 6
    }" y="${middle}">${value.toFixed(2)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 6}" role="img" aria-label="${title}">
<style>
text { font: 13px system-ui, sans-serif; fill: #59636e }
.title, .group { font-weight: 600 }
.own { fill: #1f6feb }
.other { fill: #9aa4ae }
@media (prefers-color-scheme: dark) { text { fill: #adb5bd } .own { fill: #58a6ff } .other { fill: #6e7681 } }
</style>
<text class="title" x="0" y="16">${title}</text>
${parts.join('\n')}
</svg>
`;
}
