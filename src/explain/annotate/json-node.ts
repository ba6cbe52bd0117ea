import type { AnnotatedNode } from './node.js';

const SHOWN_CHARACTERS = 120;
/** Nothing of WebAuthn is nested deeper; text made to exhaust the stack is. */
const SHOWN_LEVELS = 20;

/** A JSON value in words; objects and arrays become children. */
export function jsonNode(label: string, value: unknown, level = 0): AnnotatedNode {
  if (typeof value !== 'object' || value === null) {
    return { label, value: show(value) };
  }
  if (level === SHOWN_LEVELS) {
    return { label, note: 'more levels, not shown' };
  }
  if (Array.isArray(value)) {
    return value.every((item) => typeof item !== 'object' || item === null)
      ? { label, value: value.length === 0 ? '[]' : value.map(show).join(', ') }
      : { label, note: `array of ${value.length}`, children: value.map((item, index) => jsonNode(`[${index}]`, item, level + 1)) };
  }
  const entries = Object.entries(value);
  return entries.length === 0
    ? { label, value: '{}' }
    : { label, children: entries.map(([name, item]) => jsonNode(name, item, level + 1)) };
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
