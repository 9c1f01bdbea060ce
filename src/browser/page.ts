/** What runs in the browser: loaded by every page. */
export {};
