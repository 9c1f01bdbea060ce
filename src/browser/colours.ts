/** What the plot is painted with: the page's custom properties, as they are now. */
export interface Colours {
  /** `--chart-1` to `--chart-5`. */
  sizes: readonly string[];
  ink: string;
  inkSoft: string;
  line: string;
  surface: string;
  /** The page's font family. */
  family: string;
}

/** Reads them anew: they are others after a change of the colour scheme. */
export function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    sizes: [1, 2, 3, 4, 5].map((number) => read(`--chart-${number}`)),
    ink: read('--ink'),
    inkSoft: read('--ink-soft'),
    line: read('--line'),
    surface: read('--surface'),
    family: getComputedStyle(document.body).fontFamily,
  };
}

/** Calls `changed` whenever the viewer's colour scheme becomes another one. */
export function onSchemeChange(changed: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
}
