import { parse } from 'node-html-parser';
import { PasskeyError } from '../../errors.js';

/**
 * The text of the first element that a CSS selector finds, or the value of its attribute; entities are decoded.
 *
 * @returns undefined when there is no such element or attribute.
 * @throws PasskeyError `configuration_invalid` for a selector that is none.
 */
export function selectHtml(html: string, selector: string, attribute: string | undefined): string | undefined {
  const element = find(html, selector);
  return attribute === undefined ? element?.textContent.trim() : element?.getAttribute(attribute);
}

function find(html: string, selector: string): ReturnType<ReturnType<typeof parse>['querySelector']> {
  // Comments are no elements, and the texts of scripts are theirs.
  const document = parse(html, { comment: false });
  try {
    return document.querySelector(selector);
  } catch (cause) {
    const message = `Expected a CSS selector after html, such as form#login input[name=csrf]; got ${JSON.stringify(selector)}.`;
    throw new PasskeyError('configuration_invalid', message, { cause });
  }
}
