/** Adds the viewer's local time as title to each `<time>` in `root`. Calendar days have no time zone and get none. */
export function addLocalTimeTitles(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
    const instant = new Date(time.dateTime);
    if (!Number.isNaN(instant.getTime()))
      time.title = instant.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  }
}

/** `14:03:09` in the viewer's time zone. */
export function formatLocalTime(instant: Date): string {
  return [instant.getHours(), instant.getMinutes(), instant.getSeconds()]
    .map((number) => String(number).padStart(2, '0'))
    .join(':');
}
