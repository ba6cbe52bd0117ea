import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import type { Annotation, TreeDocument } from '../../../src/explain/document-schema.js';
import { Service } from '../app.js';
import { test } from '../service-test.js';

const local = { token: null };

async function annotate(service: Service, body: object): Promise<Annotation> {
  const reply = await service.post('/dev/annotate', body, local);
  expect([reply.statusCode, reply.body.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return reply.json();
}

function at(tree: TreeDocument | null | undefined, ...path: readonly string[]): TreeDocument | undefined {
  const [label, ...rest] = path;
  return label === undefined ? (tree ?? undefined) : at(tree?.children.find((child) => child.label === label) ?? null, ...rest);
}

describe('POST /dev/annotate', () => {
  test('says where each field stands and what it means', async ({ service }) => {
    const { response, credential } = JSON.parse(await readFile('fixtures/recorded/login-discoverable.json', 'utf8'));
    const found = await annotate(service, { response, public_key: credential.publicKey, rp_id: 'localhost' });
    expect(found.rp_id_hash).toBe(createHash('sha256').update('localhost').digest('hex'));
    expect(at(found.response, 'response', 'authenticatorData', 'rpIdHash')).toMatchObject({
      offset: 0,
      length: 32,
      value: found.rp_id_hash,
      note: 'SHA-256 of "localhost"',
    });
    expect(at(found.public_key, 'alg (3)')).toMatchObject({ value: '-7', note: 'ES256' });
  });

  test('what cannot be read says why, and what was not given is null', async ({ service }) => {
    const broken = await annotate(service, { response: { id: 'AQ', response: { authenticatorData: 'AAAA' } }, public_key: 'AQ' });
    expect(at(broken.response, 'response', 'authenticatorData')?.error).toContain('37 bytes');
    expect([broken.public_key?.error, broken.rp_id_hash]).toEqual([expect.stringMatching(/./), null]);
    expect(await annotate(service, {})).toEqual({ response: null, public_key: null, rp_id_hash: null });
  });

  test('says what extension outputs mean', async ({ service }) => {
    const outputs = {
      credProps: { rk: true },
      prf: { enabled: true, results: { first: 'AAAA' } },
      largeBlob: { supported: false, blob: 'aGk' },
      other: { rk: true },
    };
    const { response } = await annotate(service, { response: { clientExtensionResults: outputs } });
    const note = (...path: readonly string[]) => at(response, 'clientExtensionResults', ...path)?.note;
    expect(note('credProps', 'rk')).toBe('discoverable');
    expect(note('prf', 'results', 'first')).toBe('3 bytes: a secret of this passkey and this input');
    expect(note('largeBlob', 'supported')).toBe('the passkey cannot keep a blob');
    expect(note('largeBlob', 'blob')).toBe('2 bytes: "hi"');
    expect(note('other', 'rk')).toBeNull();
  });

  test('takes no body of megabytes, which would keep the server from others', async ({ service }) => {
    const outputs = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`output${index}`, {}]));
    const reply = await service.post('/dev/annotate', { response: { clientExtensionResults: outputs } }, local);
    expect([reply.statusCode, reply.json()]).toMatchObject([413, { code: 'payload_too_large' }]);
  });
});
