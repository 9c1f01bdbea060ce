/** Buttons that copy the commands of a page. */
const SHOWN_MS = 2_000;

/** Adds a button after each `<code data-copy>` in `root` that has none. */
export function addCopyButtons(root: ParentNode): void {
  for (const code of root.querySelectorAll<HTMLElement>('code[data-copy]')) {
    if (code.nextElementSibling?.matches('.copy')) continue;
    const button = document.createElement('button');
    button.className = 'copy';
    button.textContent = 'Copy';
    button.type = 'button';
    button.setAttribute('aria-live', 'polite');
    button.title = `Copy: ${code.textContent}`;
    button.addEventListener('click', () => void copy(code, button));
    code.after(' ', button);
  }
}

/** Selects the command where the browser does not allow to copy it: the page is not served over HTTPS. */
async function copy(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = 'Copy'), SHOWN_MS);
}
