import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { decodeResponse } from '../../src/server/page/client/decode/response.js';
import type { Field } from '../../src/server/page/client/decode/tree.js';
import type { JsonObject } from '../../src/server/page/client/json.js';

async function decode(fixture: string, change: Partial<{ rpId: string; origin: string; challenge: string }> = {}) {
  const { response, ceremony, rpId, origin }: { response: JsonObject; ceremony: { challenge: string }; rpId: string; origin: string } =
    JSON.parse(await readFile(new URL(`../../fixtures/recorded/${fixture}.json`, import.meta.url), 'utf8'));
  return decodeResponse(response, { rpId, origin, challenge: ceremony.challenge, ...change });
}

/** The field at a path of names. */
function at(fields: readonly Field[], ...path: readonly string[]): Field {
  const [name, ...rest] = path;
  const field = fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`no field ${name} among ${fields.map((one) => one.name).join(', ')}`);
  return rest.length === 0 ? field : at(field.children ?? [], ...rest);
}

describe('decodeResponse', () => {
  it('takes a registration apart to the last byte', async () => {
    const fields = await decode('registration-user-verified');
    const data = at(fields, 'attestationObject', 'authenticatorData');
    expect(at([data], 'authenticatorData', 'rpIdHash')).toMatchObject({ verdict: 'good', note: 'SHA-256 of "localhost"' });
    expect(at([data], 'authenticatorData', 'flags')).toMatchObject({ value: '0x45', note: 'UP UV AT' });
    const parts = data.children?.flatMap((child) => child.at ?? []) ?? [];
    expect(parts[0]?.offset).toBe(0);
    for (const [index, part] of parts.entries()) {
      expect(parts[index + 1]?.offset ?? part.offset + part.length).toBe(part.offset + part.length);
    }
    expect(`${(parts.at(-1)?.offset ?? 0) + (parts.at(-1)?.length ?? 0)} bytes`).toBe(data.note);
    expect(at([data], 'authenticatorData', 'credentialPublicKey', 'crv (-1)')).toMatchObject({ value: '1', note: 'P-256' });
  });

  it('shows a login with its user handle and against what was asked', async () => {
    const fields = await decode('login-discoverable');
    expect(at(fields, 'userHandle').note).toBe('"1"');
    expect(at(fields, 'clientDataJSON', 'origin')).toMatchObject({ verdict: 'good' });
    expect(at(fields, 'clientDataJSON', 'challenge')).toMatchObject({ verdict: 'good' });
    expect(at(fields, 'signature').value).toMatch(/^30/);
  });

  it('marks what differs from what was asked', async () => {
    const fields = await decode('login-discoverable', { rpId: 'example.com', origin: 'https://example.com', challenge: 'AAAA' });
    expect(at(fields, 'clientDataJSON', 'origin')).toMatchObject({ verdict: 'bad', note: 'expected https://example.com' });
    expect(at(fields, 'clientDataJSON', 'challenge').verdict).toBe('bad');
    expect(at(fields, 'authenticatorData', 'rpIdHash')).toMatchObject({ verdict: 'bad', note: 'not the SHA-256 of "example.com"' });
  });

  it.each([
    ['registration-packed', 'packed', 'ES256'],
    ['registration-u2f', 'fido-u2f', undefined],
  ])('opens the certificates of %s', async (fixture, fmt, alg) => {
    const fields = await decode(fixture);
    expect(at(fields, 'attestationObject', 'fmt').value).toBe(fmt);
    const statement = at(fields, 'attestationObject', 'attStmt').children ?? [];
    expect(statement.find(({ name }) => name === 'alg')?.note).toBe(alg);
    const certificate = at(statement, 'x5c', 'x5c[0]');
    expect(at(certificate.children ?? [], 'subject').value).toMatch(/CN=/);
    expect(at(certificate.children ?? [], 'public key').value).toBe('EC P-256');
    expect(at(certificate.children ?? [], 'valid').value).toMatch(/^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/);
  });

  it('shows an RSA key', async () => {
    const key = at(await decode('registration-rs256'), 'attestationObject', 'authenticatorData', 'credentialPublicKey');
    expect(key.value).toBe('RS256');
    expect(key.children?.map(({ name }) => name)).toStrictEqual(['kty (1)', 'alg (3)', 'n (-1)', 'e (-2)']);
  });

  it('says why something cannot be read, and shows the rest', async () => {
    const fields = await decodeResponse(
      { id: 'AQ', type: 'public-key', response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'MA' } },
      { challenge: undefined, origin: 'http://localhost', rpId: undefined },
    );
    expect(at(fields, 'clientDataJSON')).toMatchObject({ value: 'cannot be read', verdict: 'bad', note: expect.stringContaining('type') });
    expect(at(fields, 'authenticatorData')).toMatchObject({ value: 'cannot be read', note: expect.stringContaining('37 bytes') });
    expect(at(fields, 'signature').value).toBe('30');
  });

  it('never throws, whatever the bytes', async () => {
    for (let length = 0; length < 80; length++) {
      const noise = Buffer.from(Array.from({ length }, (_, index) => (index * 37 + length * 91) & 0xff)).toString('base64url');
      const response = { id: noise, response: { clientDataJSON: noise, attestationObject: noise, authenticatorData: noise } };
      await expect(decodeResponse(response, { challenge: 'AQ', origin: 'x', rpId: 'y' })).resolves.toBeInstanceOf(Array);
    }
  });
});
