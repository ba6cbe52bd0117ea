import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthenticator } from 'passkey-cli/authenticator';
import { createClient } from 'passkey-cli/client';
import { explain } from 'passkey-cli/explain';
import { expect, test } from 'vitest';

test('a new passkey passes every step', async () => {
  const client = createClient({ authenticator: createAuthenticator(), origin: 'https://example.org' });
  const challenge = 'c29tZSByYW5kb20gYnl0ZXMhIQ';
  const user = { id: 'AAAAAAAAAAAAAAAAAAAAAA', name: 'ada', displayName: 'Ada' };
  const pubKeyCredParams = [{ type: 'public-key' as const, alg: -7 }];
  const created = await client.create({ publicKey: { rp: { id: 'example.org', name: 'Example' }, user, challenge, pubKeyCredParams } });
  const expected = { rpId: 'example.org', origin: 'https://example.org', challenge, algorithms: ['ES256'] };
  const { verdict, steps } = await explain(created, expected);
  expect(verdict, steps.find(({ status }) => status === 'fail')?.hint ?? '').toBe('accepted');
});

test('docs/library.md shows this assertion', () => {
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n');
  const example = lines.filter((line) => /^ {2}(?:const expected|const \{ verdict|expect\(verdict)/.test(line)).map((line) => line.trim());
  expect(example).toHaveLength(3);
  expect(readFileSync(join(import.meta.dirname, '../../docs/library.md'), 'utf8')).toContain(example.join('\n'));
});
