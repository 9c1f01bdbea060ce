import { describe, expect, it } from 'vitest';
import { errorPageText } from '../../../src/service/client/error-page-text.ts';
import { inTime } from '../../support/time-limit.ts';

describe('the text of an error page', () => {
  it.each([
    [
      '<html><head><title>502</title></head>\n<body>\n<p class="a">Bad   gateway</p></body></html>',
      '502 Bad gateway',
    ],
    ['no markup\tat all\n', 'no markup at all'],
    ['3 < 4 and <b>5</b> > 4', '3 < 4 and 5 > 4'],
    ['cut off <a href="x', 'cut off <a href="x'],
    ['<br/><br/>', ''],
    ['', ''],
  ])('of %j are %j', (page, text) => {
    expect(errorPageText(page)).toBe(text);
  });

  it.each(['<', '<a ', '<<>', '<a <b> ', ' \n', '>'])(
    'is extracted in linear time from a page of 400,000 %j',
    (part) => {
      const page = part.repeat(400_000);
      expect(inTime(() => errorPageText(page)).length).toBeLessThanOrEqual(page.length);
    },
  );
});
