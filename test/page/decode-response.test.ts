import { describe, expect, test } from 'vitest';
import { decodeResponse } from '../../src/page/decode/response.js';
import type { Field } from '../../src/page/decode/tree.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { JSON_SAMPLES, vector } from '../explain/annotate/samples.js';

const asked = { challenge: encodeBase64url(vector.registration.challenge), origin: 'https://example.org', rpId: 'example.org' };

function find(fields: readonly Field[], ...names: readonly string[]): Field | undefined {
  const [name, ...rest] = names;
  const found = fields.find((field) => field.name === name);
  return rest.length === 0 ? found : find(found?.children ?? [], ...rest);
}

describe('the page decodes a response', () => {
  const authData = ['response', 'attestationObject', 'authData'] as const;

  test.each<[readonly string[], object]>([
    [['response', 'clientDataJSON', 'origin'], { verdict: 'good', note: 'as expected' }],
    [['response', 'clientDataJSON', 'challenge'], { verdict: 'good' }],
    [[...authData, 'rpIdHash'], { verdict: 'good', note: 'SHA-256 of "example.org"', at: { offset: 30, length: 32 } }],
    [[...authData, 'flags', 'UP'], { verdict: 'good' }],
    [[...authData, 'flags', 'UV'], { verdict: 'neutral' }],
  ])('%j, as asked', async (path, expected) => {
    expect(find(await decodeResponse(JSON_SAMPLES.registration, asked), ...path)).toMatchObject(expected);
  });

  test.each<[readonly string[], object]>([
    [['response', 'clientDataJSON', 'origin'], { verdict: 'bad', note: 'expected "https://else.example"' }],
    [['response', 'clientDataJSON', 'challenge'], { verdict: 'bad' }],
    [[...authData, 'rpIdHash'], { verdict: 'bad', note: 'not the SHA-256 of "else.example"' }],
  ])('%j, not as asked', async (path, expected) => {
    const others = { challenge: 'AAAA', origin: 'https://else.example', rpId: 'else.example' };
    expect(find(await decodeResponse(JSON_SAMPLES.registration, others), ...path)).toMatchObject(expected);
  });

  test('and says what cannot be read', async () => {
    const { response, ...rest } = JSON_SAMPLES.authentication;
    const fields = await decodeResponse({ ...rest, response: { ...response, authenticatorData: 'AAAA' } }, asked);
    expect(find(fields, 'response', 'authenticatorData')).toMatchObject({ verdict: 'bad', note: expect.stringContaining('byte 3') });
  });
});
