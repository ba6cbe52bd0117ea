import { describe, expect, test } from 'vitest';
import { harCeremonies, harFindings } from '../../../src/explain/annotate/har.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { JSON_SAMPLES, text } from './samples.js';

const { registration, authentication } = JSON_SAMPLES;
const creation = JSON_SAMPLES['creation-options'];
const request = JSON_SAMPLES['request-options'];

interface Body {
  readonly text?: string;
  readonly encoding?: string;
  readonly params?: readonly unknown[];
}

const archive = (...entries: readonly { readonly sent?: Body; readonly received?: Body }[]) => ({
  log: {
    entries: entries.map(({ sent, received }) => ({
      startedDateTime: '2026-01-15T10:30:00.000Z',
      request: {
        method: 'POST',
        url: 'https://example.org/api',
        headers: [{ name: 'Origin', value: 'https://example.org' }],
        ...(sent && { postData: sent }),
      },
      response: { status: 200, content: received ?? { size: 0 } },
    })),
  },
});

const found = (body: Body) => harFindings(archive({ received: body })).map(({ found: { kind, json } }) => ({ kind, json }));

describe('the bodies of real archives', () => {
  test.each<[string, Body]>([
    ['JSON', { text: JSON.stringify(request) }],
    ['in base64', { text: encodeBase64(text(request)), encoding: 'base64' }],
    ['behind a guard against scripts', { text: `)]}'\n${JSON.stringify(request)}` }],
    ['behind a loop', { text: `for (;;);${JSON.stringify(request)}` }],
    ['in a batch', { text: JSON.stringify([{ id: 1 }, { id: 2, result: { publicKey: request } }]) }],
    ['of GraphQL', { text: JSON.stringify({ data: { viewer: { login: { options: { publicKey: request } } } } }) }],
    ['as text inside JSON', { text: JSON.stringify({ options: JSON.stringify({ publicKey: request }) }) }],
    ['in a form', { text: `csrf=1%25&options=${encodeURIComponent(JSON.stringify(request))}` }],
    [
      'in the fields of a form',
      {
        params: [
          { name: 'csrf', value: '1' },
          { name: 'o', value: JSON.stringify(request) },
        ],
      },
    ],
  ])('%s', (_, body) => {
    expect(found(body)).toEqual([{ kind: 'request-options', json: request }]);
  });

  test.each<[string, Body]>([
    ['HTML', { text: '<!doctype html><title>x</title>' }],
    ['a form with broken escapes', { text: 'a=%zz&b=%' }],
    ['JSON of something else', { text: '{"timeout":1,"extensions":{},"hints":[]}' }],
    ['an image', { text: 'iVBORw0KGgo=', encoding: 'base64' }],
    ['nothing', {}],
    ['JSON too deep for anybody', { text: '{"a":'.repeat(5000) + '1' + '}'.repeat(5000) }],
  ])('%s has nothing', (_, body) => {
    expect(found(body)).toEqual([]);
  });
});

test('holds each of several ceremonies against the options with its challenge', () => {
  const har = archive(
    { received: { text: JSON.stringify(request) } },
    { received: { text: JSON.stringify({ publicKey: creation }) } },
    { sent: { text: JSON.stringify({ credential: registration }) }, received: { text: '{"ok":true}' } },
    { sent: { text: JSON.stringify(authentication) } },
    { sent: { text: JSON.stringify(authentication) } },
  );
  const ceremonies = harCeremonies(harFindings(har));
  expect(ceremonies.map(({ kind, options }) => [kind, options])).toEqual([
    ['registration', creation],
    ['authentication', request],
    ['authentication', request],
  ]);
  expect(ceremonies[0]).toMatchObject({ origin: 'https://example.org', at: Date.UTC(2026, 0, 15, 10, 30) });
});
