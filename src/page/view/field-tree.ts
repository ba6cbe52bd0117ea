import type { Field } from '../decode/tree.js';
import { h } from '../dom.js';

/** A decoded structure as nested lists: name, place, value, meaning. */
export function fieldTree(fields: readonly Field[]): HTMLElement {
  return h('ul', { class: 'fields' }, ...fields.map(fieldItem));
}

function fieldItem(field: Field): Node {
  const { name, value, note, at, verdict, children } = field;
  if (field.collapsed === true) {
    return h(
      'li',
      { class: 'field' },
      h(
        'details',
        {},
        h('summary', {}, h('span', { class: 'field-name' }, name), ' ', h('span', { class: 'field-note' }, note)),
        fieldTree(children ?? []),
      ),
    );
  }
  return h(
    'li',
    { class: verdict === undefined ? 'field' : `field ${verdict}` },
    // The blanks keep the parts apart for whoever hears or copies them.
    h('span', { class: 'field-name' }, name),
    ' ',
    at === undefined
      ? undefined
      : h('span', { class: 'field-place', title: `bytes ${at.offset} to ${at.offset + at.length - 1}` }, `${at.offset}+${at.length} `),
    value === undefined ? undefined : h('span', { class: 'field-value' }, `${value} `),
    note === undefined ? undefined : h('span', { class: 'field-note' }, note),
    children === undefined || children.length === 0 ? undefined : fieldTree(children),
  );
}
