import { expect, it } from 'vitest';
import { createMarts } from '../../src/publishing/marts/marts.ts';

const shapeOf = (durationUnit: 'ms' | 's', ...exclude: string[]) =>
  createMarts({ durationUnit, exclude }).shape;

it('has the same shape for the same options, and another one for other columns or another meaning', () => {
  const shapes = [
    shapeOf('ms'),
    shapeOf('s'),
    shapeOf('ms', 'title'),
    shapeOf('ms', 'tags'),
    shapeOf('ms', 'access_key'),
  ];
  expect(new Set(shapes).size).toBe(shapes.length);
  expect(shapeOf('ms')).toBe(shapes[0]);
  expect(shapeOf('ms', 'access_key')).toBe(shapes[4]);
});

it('has no more documented columns than a person can know', () => {
  const { documented } = createMarts({ durationUnit: 'ms', exclude: ['access_key', 'org_access_key'] });
  const columns = documented.flatMap((mart) => mart.columns);
  expect(columns.length).toBeLessThanOrEqual(245);
});
