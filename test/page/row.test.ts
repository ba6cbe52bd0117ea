import { expect, test } from 'vitest';
import { UNASKED } from '../../src/page/catalogue.js';
import { listItems } from '../../src/page/items.js';
import { Row } from '../../src/page/view/row.js';
import type { StreamEntry } from '../../src/server/schemas/stream.js';
import { streamEntry } from './stream-entries.js';

const entry = streamEntry('e');

function props(of: StreamEntry, selected = false) {
  const [item] = listItems({ runs: [], stream: [of], pasted: [] });
  if (item === undefined) return expect.fail('Expected an item.');
  return { item, selected, tabStop: false, far: false, heading: undefined, waiting: undefined, personas: UNASKED };
}

test.each([
  ['another comes', props(entry), false],
  ['it changes', props({ ...entry, state: 'rejected' }), true],
  ['it is selected', props(entry, true), true],
] as const)('a row is drawn again when %s', (_, next, drawn) => {
  expect(new Row(props(entry)).shouldComponentUpdate(next)).toBe(drawn);
});
