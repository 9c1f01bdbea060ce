/** The colours and font of the plot, from the custom properties of the page. */
export type Colours = ReturnType<typeof readColours>;

export function readColours() {
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

export function onSchemeChange(listener: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener);
}
