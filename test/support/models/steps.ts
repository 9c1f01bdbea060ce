import fc from 'fast-check';

/** A step of a random history; its text names what it does in a report of fast-check. */
export interface Step<World, Outcome = unknown> {
  act: (world: World) => Outcome;
  toString: () => string;
}

/** Steps of one kind, with random values. */
export const steps = <World, Given extends object, Outcome>(
  name: string,
  values: { [Name in keyof Given]: fc.Arbitrary<Given[Name]> },
  act: (world: World, given: Given) => Outcome,
): fc.Arbitrary<Step<World, Outcome>> =>
  fc.record(values as { [Name in keyof Given]-?: fc.Arbitrary<Given[Name]> }).map((given) => ({
    act: (world) => act(world, given),
    toString: () => `${name} ${JSON.stringify(given)}`,
  }));

/** The usual value, and `weight` times as often as any of the others. */
export const often = <T>(weight: number, usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });

export type ValueOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
