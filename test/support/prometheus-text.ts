/** Reads the text form of Prometheus, as a scraper does. */
export interface ScrapedSample {
  /** The name of the line: that of its metric, or with `_bucket`, `_sum` or `_count` behind it. */
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Scraped {
  /** `counter`, `gauge`, `histogram` or `summary` by metric. */
  types: Map<string, string>;
  help: Map<string, string>;
  samples: ScrapedSample[];
}

/** Throws for a line that a scraper would reject. */
export function readPrometheusText(text: string): Scraped {
  const scraped: Scraped = { types: new Map(), help: new Map(), samples: [] };
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, kind, metric = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') scraped.help.set(metric, rest);
    else if (kind === 'TYPE') scraped.types.set(metric, rest);
    else scraped.samples.push(parseSample(line));
  }
  return scraped;
}

function parseSample(line: string): ScrapedSample {
  const [, name, labels = '', value] = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new Error(`not a line of the Prometheus format: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  const read = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])),
    value: read,
  };
}

/** The value of the only sample of this name with these labels, among others; undefined if there is none. */
export function valueIn(
  { samples }: Scraped,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`${found.length} samples of ${name} have ${JSON.stringify(labels)}`);
  return found[0]?.value;
}
