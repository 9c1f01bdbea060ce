/** The notice in `#connection` that the server does not answer. */
import { formatLocalTime } from './local-times.ts';

export interface OfflineNotice {
  hide(): void;
  show(): void;
}

export function createOfflineNotice(): OfflineNotice {
  const notice = document.getElementById('connection');
  let answeredAt = new Date();
  let isShown = false;
  return {
    hide: () => {
      answeredAt = new Date();
      if (!isShown) return;
      isShown = false;
      if (notice) notice.hidden = true;
    },
    show: () => {
      if (isShown || !notice) return;
      isShown = true;
      // screen readers announce a status only if it was visible before its text changed
      notice.hidden = false;
      notice.textContent = `No answer from vodhouse since ${formatLocalTime(answeredAt)}; this page shows the state at that time`;
    },
  };
}
