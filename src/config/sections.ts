/** The forms that values of a config have: a section, a value with a default, a value that may be absent. */
import * as z from 'zod';

type CamelCase<Name> = Name extends `${infer Start}_${infer Rest}`
  ? `${Start}${Capitalize<CamelCase<Rest>>}`
  : Name;

/**
 * A mapping without other keys; its output has camelCase keys, and `Ms` after those of `durations`. The
 * message of an unknown key is the list of known ones, divided by `, `: problems.ts finds the nearest.
 */
export function section<Shape extends z.core.$ZodLooseShape, Duration extends string = never>(
  shape: Shape,
  ...durations: readonly Duration[]
) {
  const known = Object.keys(shape).join(', ');
  const toName = (key: string) => {
    const name = key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return durations.includes(key as Duration) ? `${name}Ms` : name;
  };
  const schema = z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? known : `a mapping of ${known}`),
  });
  type Output = z.output<typeof schema>;
  return schema.transform(
    (value) =>
      Object.fromEntries(Object.entries(value).map(([key, inner]) => [toName(key), inner])) as {
        [Key in keyof Output as Key extends Duration ? `${CamelCase<Key>}Ms` : CamelCase<Key>]: Output[Key];
      },
  );
}

/** A value with a default, which its description names. */
export function withDefault<Schema extends z.ZodType>(
  schema: Schema,
  value: z.core.util.NoUndefined<z.input<Schema>>,
  text: string,
) {
  const shown = Array.isArray(value) ? value.join(' and ') || 'none' : String(value);
  return schema.prefault(value).describe(`${text} Default ${shown}.`);
}

/** A value that may be absent, and is null then. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value): z.output<Schema> | null => value ?? null);
}
