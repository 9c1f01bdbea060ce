/**
 * A form with `data-filters` filters the element with that id as one types; without the script it is sent.
 */

const WAIT_MS = 150;

export function startFilters(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-filters]')) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = new AbortController();
    form.addEventListener('input', () => {
      clearTimeout(timer);
      asked.abort();
      asked = new AbortController();
      const { signal } = asked;
      // where this fails, the button still works
      timer = setTimeout(() => void show(form, signal).catch(() => undefined), WAIT_MS);
    });
  }
}

async function show(form: HTMLFormElement, signal: AbortSignal): Promise<void> {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && value !== '') url.searchParams.set(name, value);
  const response = await fetch(url, { signal });
  if (!response.ok) return;
  const id = form.dataset.filters ?? '';
  const next = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById(id);
  if (!next || signal.aborted) return;
  document.getElementById(id)?.replaceChildren(...next.childNodes);
  history.replaceState(null, '', url);
}
