/** A terminal as a stream: it keeps what a person would see, without a limit on its height. */
import { Writable } from 'node:stream';

/** Cursor movements, and erasing: what a line of progress writes. */
// eslint-disable-next-line no-control-regex
const SEQUENCE = /\x1b\[(\??)([\d;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+/g;

/** Creates a terminal with this many columns. */
export function createTerminalScreen(columns = 100) {
  const rows: string[] = [''];
  const states: string[][] = [];
  let [line, column, visible] = [0, 0, true];
  const row = () => rows[line] ?? '';
  const lines = () => {
    const shown = rows.map((text) => text.trimEnd());
    while (shown.at(-1) === '') shown.pop();
    return shown;
  };
  const print = (text: string) => {
    rows[line] = row().padEnd(column).slice(0, column) + text + row().slice(column + text.length);
    column += text.length;
  };
  const moveTo = (wanted: number) => {
    line = Math.max(0, wanted);
    while (rows.length <= line) rows.push('');
  };
  const control = (isPrivate: boolean, given: string, kind: string) => {
    const count = Number(given || 1);
    if (isPrivate) visible = given === '25' ? kind === 'h' : visible;
    else if (kind === 'A') moveTo(line - count);
    else if (kind === 'B') moveTo(line + count);
    else if (kind === 'C') column += count;
    else if (kind === 'D') column = Math.max(0, column - count);
    else if (kind === 'G') column = count - 1;
    else if (kind === 'K') rows[line] = given === '2' ? '' : row().slice(0, column);
    else if (kind === 'J') {
      rows[line] = row().slice(0, column);
      rows.length = line + 1;
    } else if (kind !== 'm') throw new Error(`the terminal does not know ${kind}`);
  };
  const write = (text: string) => {
    for (const [token, isPrivate = '', given = '', kind] of text.matchAll(SEQUENCE)) {
      if (kind !== undefined) control(isPrivate !== '', given, kind);
      else if (token === '\r') column = 0;
      else if (token === '\n') {
        moveTo(line + 1);
        column = 0; // as a terminal driver does
      } else print(token);
    }
    states.push(lines());
  };
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      write(chunk.toString());
      done();
    },
  });
  return Object.assign(stream, {
    isTTY: true as const,
    columns,
    /** The lines that are visible, without spaces at their ends and empty lines at the end. */
    lines,
    /** Every state of the screen after a write. */
    states,
    /** Where the cursor is: line and column from 0, and whether it is shown. */
    cursor: () => ({ line, column, visible }),
  });
}
