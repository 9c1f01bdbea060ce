/**
 * The most moments that any sliding window of this length contains; a window includes its beginning and not its end. The moments
 * rise.
 */
export function mostWithin(moments: readonly number[], windowMs: number): number {
  let most = 0;
  let first = 0;
  for (const [index, moment] of moments.entries()) {
    while ((moments[first] ?? moment) <= moment - windowMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
