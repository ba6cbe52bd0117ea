import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CEREMONY_FORMAT } from '../../src/explain/annotate/page-run.js';
import { explainShared } from '../../src/page/flow/explain.js';
import { readShared, writeShared } from '../../src/page/flow/link.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { tab } from './tab.js';

const packed = (text: string) => `#shared=${encodeBase64url(deflateRawSync(text))}`;

describe('a document in the address', () => {
  test.each(['{}', JSON.stringify({ title: 'Log in — ✗', legs: ['a', 'b'] }), 'x'.repeat(50_000)])(
    'is read as it was written (%#)',
    async (text) => {
      const part = await writeShared(text);
      expect(part).toMatch(/^shared=[\w-]+$/);
      expect(await readShared(`#expect.origin=x&${part}`)).toBe(text);
    },
  );

  test('is left out where it makes a link too long', async () => {
    const digits = Array.from({ length: 4_000 }, (_, index) => ((index * 7_919) % 65_521).toString(36)).join('');
    expect(await writeShared(digits)).toBeUndefined();
  });

  test.each([
    ['no part', '#ceremony=a', undefined],
    ['an empty part', '#shared=', ''],
    ['text that is no base64url', '#shared=%%%', ''],
    ['bytes that are not packed', '#shared=AAECAwQF', ''],
    ['a packed text that is cut off', packed('{"title":"Log in","legs":[]}').slice(0, -8), ''],
    ['a short text that claims a million bytes', packed('0'.repeat(1_000_001)), ''],
    ['a text of just as many', packed('0'.repeat(1_000_000)), '0'.repeat(1_000_000)],
  ])('%s is not read', async (_what, fragment, text) => {
    expect(await readShared(fragment)).toBe(text);
  });
});

describe('the ceremony of a link', () => {
  test('is shown without a question to the server', async () => {
    const { app, store, asked } = tab({ answer: () => ({ status: 200, answer: {} }) });
    await explainShared(
      app,
      JSON.stringify({ format: CEREMONY_FORMAT, title: 'Log in', item: { kind: 'authentication', verdict: 'rejected' } }),
    );
    expect(store.get()).toMatchObject({ selected: 'pasted-1', pasted: [{ shared: { title: 'Log in', verdict: 'rejected' } }] });
    expect(asked).toEqual([]);
  });

  test.each(['', 'Unexpected authentication response origin', '{"challenge":"AAECAwQFBgcICQoLDA0ODw","rpId":"localhost"}'])(
    'is nothing else: %s',
    async (text) => {
      const { app, store, asked } = tab({ answer: () => ({ status: 200, answer: {} }) });
      await explainShared(app, text);
      expect(store.get()).toMatchObject({ pasted: [], statusFailed: true, status: expect.stringContaining('The link has no ceremony') });
      expect(asked).toEqual([]);
    },
  );
});
