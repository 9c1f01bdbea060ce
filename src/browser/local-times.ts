/** Gives each `<time>` in `root` that tells an instant a title with the viewer's own time. A calendar day is left alone: it has no time zone. */
export function titleTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
    const instant = new Date(time.dateTime);
    if (!Number.isNaN(instant.getTime()))
      time.title = instant.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  }
}

/** `14:03:09` of the viewer's own time. */
export function clockTime(instant: Date): string {
  return [instant.getHours(), instant.getMinutes(), instant.getSeconds()]
    .map((number) => String(number).padStart(2, '0'))
    .join(':');
}
