/** The notice in `#connection` that the server does not answer. */
export function createOfflineNotice() {
  const notice = document.getElementById('connection');
  let answeredAt = new Date();
  return {
    hide: () => {
      answeredAt = new Date();
      if (notice) notice.hidden = true;
    },
    show: () => {
      if (!notice?.hidden) return;
      const time = answeredAt.toLocaleTimeString('en-GB'); // 14:03:09
      // screen readers announce a status only if it was visible before its text changed
      notice.hidden = false;
      notice.textContent = `No response from vodhouse since ${time}; this page shows the state at that time`;
    },
  };
}
