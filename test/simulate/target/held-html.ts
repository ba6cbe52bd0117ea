import { expect } from 'vitest';
import { selectHtml } from '../../../src/simulate/target/html.js';

/** Four megabytes of a part that is never closed are given up in time, and what comes next is read. */
export function expectHeld(part: string): void {
  const html = part.repeat(4_000_000 / part.length);
  expect(() => selectHtml(html, 'form#login', 'action')).toThrow(
    expect.objectContaining({
      code: 'payload_too_large',
      message: expect.stringMatching(/^Expected HTML that can be read within 1 s; got \d+/),
    }),
  );
  expect(selectHtml('<form id="login" action="/x">', 'form#login', 'action')).toBe('/x');
}
