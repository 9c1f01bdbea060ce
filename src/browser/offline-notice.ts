/** Says in `#connection` since when the server does not answer. */
import { clockTime } from './local-times.ts';

export interface Connection {
  answered(): void;
  failed(): void;
}

export function createConnection(): Connection {
  const line = document.getElementById('connection');
  let answeredAt = new Date();
  let isSaid = false;
  return {
    answered: () => {
      answeredAt = new Date();
      if (!isSaid) return;
      isSaid = false;
      if (line) line.hidden = true;
    },
    failed: () => {
      if (isSaid || !line) return;
      isSaid = true;
      // shown before it is filled: a status that is announced was there already
      line.hidden = false;
      line.textContent = `No answer from vodhouse since ${clockTime(answeredAt)}; what stands here is of then`;
    },
  };
}
