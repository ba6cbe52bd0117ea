import { h } from '../dom.js';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON with its names, texts and numbers told apart by colour. */
export function jsonView(value: unknown): HTMLElement {
  if (value === undefined) {
    return h('p', { class: 'hint' }, 'No body.');
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const code = h('code', {});
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    const kind = string === undefined ? 'json-literal' : colon === undefined ? 'json-text' : 'json-name';
    code.append(text.slice(end, match.index), h('span', { class: kind }, string ?? whole), colon ?? '');
    end = match.index + whole.length;
  }
  code.append(text.slice(end));
  return h('pre', { class: 'json' }, code);
}
