/** The key `/` puts the cursor into the search of the page, unless one types already. */

export function focusSearchOnSlash(): void {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    document.getElementById('search')?.focus();
  });
}
