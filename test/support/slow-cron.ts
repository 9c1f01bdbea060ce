/** Cron read the slow way: does an expression of five fields name this minute? To check libraries against. */

/** True where the expression, read in UTC, names the minute that begins at `ms`. A named day or weekday is enough. */
export function matchesCron(expression: string, ms: number): boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.split(' ');
  const date = new Date(ms);
  const isTime = names(minute, date.getUTCMinutes(), 59) && names(hour, date.getUTCHours(), 23);
  if (!isTime || !names(month, date.getUTCMonth() + 1, 12)) return false;
  const isDay = names(day, date.getUTCDate(), 31);
  const isWeekday = names(weekday, date.getUTCDay(), 6);
  return day === '*' || weekday === '*' ? isDay && isWeekday : isDay || isWeekday;
}

function names(field: string, value: number, most: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from = '0', to = from] =
      range === '*' ? [most === 31 || most === 12 ? '1' : '0', String(most)] : range.split('-');
    return value >= Number(from) && value <= Number(to) && (value - Number(from)) % Number(step) === 0;
  });
}
