import { describe, expect, test } from 'vitest';
import { selectHtml } from '../../../src/simulate/target/html.js';

/** Four megabytes of a part that is never closed are given up in time, and what comes next is read. */
function expectHeld(part: string): void {
  const html = part.repeat(4_000_000 / part.length);
  expect(() => selectHtml(html, 'form#login', 'action')).toThrow(
    expect.objectContaining({
      code: 'payload_too_large',
      message: expect.stringMatching(/^Expected HTML that can be parsed within 1 s; got \d+/),
    }),
  );
  expect(selectHtml('<form id="login" action="/x">', 'form#login', 'action')).toBe('/x');
}

describe('HTML that a target made to hold the run', () => {
  test.each([
    ['elements that are never closed', '<div>'],
    ['comments that are never closed', '<!--'],
    ['attributes that are never closed', '<p><a href='],
  ])('ends with an error: %s', (_, part) => expectHeld(part));
});
