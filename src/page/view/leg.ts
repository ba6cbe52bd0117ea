import type { Field } from '../decode.js';
import { arrangeFields, decodeResponse } from '../decode.js';
import { h, hint } from '../dom.js';
import { stringAt } from '../json.js';
import type { BrowserLeg, HttpLeg, Leg, SignalLeg } from '../run.js';
import { succeeded } from '../run.js';
import { formatDuration } from './time.js';

/**
 * One leg of a run: what was sent, what came back, how long it took. `key` identifies its parts across redraws; `origin` is the one
 * that the server expects.
 */
export function legView(leg: Leg, key: string, origin: string): Node {
  switch (leg.kind) {
    case 'http':
      return httpView(leg, key);
    case 'browser':
      return browserView(leg, key, origin);
    case 'signal':
      return signalView(leg, key);
  }
}

function httpView(leg: HttpLeg, key: string): Node {
  return h(
    'li',
    { class: 'leg' },
    heading(
      h('code', {}, `${leg.method} ${leg.path}`),
      h('span', { class: succeeded(leg) ? 'badge good' : 'badge bad' }, leg.status === undefined ? 'no answer' : String(leg.status)),
      leg.milliseconds,
    ),
    leg.failure === undefined ? undefined : hint(leg.failure),
    leg.body === undefined ? undefined : part(`${key}-request`, 'Request', jsonView(leg.body)),
    leg.failure === undefined ? part(`${key}-answer`, 'Answer', jsonView(leg.answer)) : undefined,
  );
}

function browserView(leg: BrowserLeg, key: string, origin: string): Node {
  const name = `navigator.credentials.${leg.call}()`;
  return h(
    'li',
    { class: 'leg' },
    heading(
      h('code', {}, name),
      h('span', { class: leg.error === undefined ? 'badge good' : 'badge bad' }, leg.error?.name ?? 'answered'),
      leg.milliseconds,
    ),
    leg.mediation === undefined ? undefined : hint('mediation: conditional'),
    part(`${key}-options`, 'Options', jsonView(leg.options)),
    leg.error === undefined ? undefined : hint(`The browser’s message: ${leg.error.message || 'none'}`),
    leg.response === undefined ? undefined : part(`${key}-decoded`, 'Response, decoded', decodedView(leg, origin), true),
    leg.response === undefined ? undefined : part(`${key}-response`, 'Response, as JSON', jsonView(leg.response)),
  );
}

function signalView(leg: SignalLeg, key: string): Node {
  const kind = leg.outcome === 'sent' ? 'good' : leg.outcome === 'failed' ? 'bad' : '';
  return h(
    'li',
    { class: 'leg' },
    heading(h('code', {}, `PublicKeyCredential.${leg.method}()`), h('span', { class: `badge ${kind}` }, leg.outcome), undefined),
    leg.detail === undefined ? undefined : hint(leg.detail),
    part(`${key}-signal`, 'Options', jsonView(leg.options)),
  );
}

function heading(name: Node, outcome: Node, milliseconds: number | undefined): Node {
  return h(
    'p',
    { class: 'leg-heading' },
    name,
    outcome,
    milliseconds === undefined ? undefined : h('span', { class: 'duration' }, formatDuration(milliseconds)),
  );
}

function part(key: string, title: string, content: Node, open = false): Node {
  return h('details', { class: 'part', 'data-key': key, open }, h('summary', {}, title), content);
}

function decodedView(leg: BrowserLeg, origin: string): Node {
  const root = h('div', { class: 'decoded' }, hint('Name, first byte + number of bytes, value, meaning.'));
  const rpId = leg.call === 'create' ? stringAt(leg.options, 'rp', 'id') : stringAt(leg.options, 'rpId');
  const asked = { challenge: stringAt(leg.options, 'challenge'), origin, rpId: rpId ?? location.hostname };
  void decodeResponse(leg.response ?? {}, asked).then((fields) => root.append(fieldTree(arrangeFields(fields))));
  return root;
}

/** A decoded structure as nested lists: name, position, value, meaning. */
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
    // The spaces separate the parts for screen readers and when copied.
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

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON with syntax colours. */
export function jsonView(value: unknown): HTMLElement {
  if (value === undefined) {
    return hint('No body.');
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
