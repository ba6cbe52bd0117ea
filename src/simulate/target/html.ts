import { parse } from 'node-html-parser';
import { PasskeyError } from '../../errors.js';
import { count } from '../../kernel/wording.js';
import { outOfTime, WORK_WITHIN_MS, withinTime } from './within-time.js';

/**
 * The text of the first element that a CSS selector finds, or the value of its attribute; entities are decoded.
 *
 * @returns undefined when there is no such element or attribute.
 * @throws PasskeyError `configuration_invalid` for a selector that is none, `payload_too_large` for HTML that takes too long to read.
 */
export function selectHtml(html: string, selector: string, attribute: string | undefined): string | undefined {
  const found = withinTime(() => {
    const element = find(html, selector);
    return attribute === undefined ? element?.textContent.trim() : element?.getAttribute(attribute);
  });
  if (found !== outOfTime) return found;
  // The parser keeps its place in a pattern of its own, and would go on there.
  parse('<p>');
  const message = `Expected HTML that can be read within ${WORK_WITHIN_MS / 1000} s; got ${count(html.length, 'character')} that take longer.`;
  throw new PasskeyError('payload_too_large', message);
}

function find(html: string, selector: string): ReturnType<ReturnType<typeof parse>['querySelector']> {
  // Comments are no elements, and the texts of scripts are theirs.
  const document = parse(html, { comment: false });
  try {
    return document.querySelector(selector);
  } catch (cause) {
    if (cause instanceof RangeError) throw new PasskeyError('payload_too_large', 'Expected HTML with fewer levels of elements.', { cause });
    const message = `Expected a CSS selector after html, such as form#login input[name=csrf]; got ${JSON.stringify(selector)}.`;
    throw new PasskeyError('configuration_invalid', message, { cause });
  }
}
