import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NOW, ROOT } from './craft/certificates.js';
import { type CreateChange, create, get, Scene } from './craft/scene.js';
import { androidKey, apple, compound, packed, safetyNet, self, tpm, u2f } from './craft/statements.js';
import type { Json } from './exchange.js';
import { createIndependentParty } from './server.js';

const JUNK: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  ' ',
  '*',
  '=',
  'A',
  'AAAA',
  '\u{0}',
  [],
  [[]],
  {},
  { a: {} },
  'A'.repeat(5000),
];

/** Every way to put junk in place of one member, at any depth, or to leave it out. */
function spoilt(value: Json): Json[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = typeof member === 'object' && member !== null && !Array.isArray(member) ? spoilt({ ...member }) : [];
    return [undefined, ...JUNK, ...inner].map((junk) => ({ ...value, [name]: junk }));
  });
}

/** A challenge stays good, so that one may be answered often; all else is correct. */
function lastingScene(): Scene {
  const faults = new Set(['create-challenge-reusable', 'get-challenge-reusable'] as const);
  return new Scene(createIndependentParty({ faults, roots: [new X509Certificate(ROOT.der)], now: () => NOW }), { now: NOW });
}

const STATEMENTS = {
  packed: packed(),
  self: self(),
  tpm: tpm(),
  androidKey: androidKey(),
  apple: apple(),
  u2f: u2f(),
  safetyNet: safetyNet(NOW),
  compound: compound(self(), packed()),
};

describe('nothing that a client sends makes the correct party fail', () => {
  test('junk in place of any member of a registration', async () => {
    const scene = lastingScene();
    const { body } = create(await scene.creationOptions());
    const statuses = await Promise.all(spoilt(body).map(async (spoiled) => (await scene.submit(spoiled)).status));
    expect(statuses.length).toBeGreaterThan(150);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });

  test('junk in place of any member of an authentication', async () => {
    const scene = lastingScene();
    const made = await scene.registered();
    const body = get(await scene.requestOptions(made), made);
    const statuses = await Promise.all(spoilt(body).map(async (spoiled) => (await scene.login(spoiled)).status));
    expect(statuses.length).toBeGreaterThan(150);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });

  test('junk in place of any member of the client data', async () => {
    const scene = lastingScene();
    const options = await scene.creationOptions();
    const members = { type: 'webauthn.create', challenge: options['challenge'], origin: 'https://login.example.com', crossOrigin: false };
    const texts = [...spoilt({ ...members, topOrigin: 1, tokenBinding: {} }), ...JUNK].map((junk) => JSON.stringify(junk));
    const statuses = await Promise.all(
      texts.map(async (text) => (await scene.submit(create(options, { client: () => text }).body)).status),
    );
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });

  test.each(['/register/options', '/verify/options', '/login/options'])('junk in place of any member of %s', async (path) => {
    const scene = lastingScene();
    const asked = {
      app_name: 'A',
      app_url: 'https://a.example',
      credential_id: 'AAAA',
      attestation: 'none',
      user_verification: 'required',
    };
    const answers = spoilt({ ...asked, resident_key: 'preferred', algorithms: [-7] }).map(async (body) => {
      const headers = { ...scene.token(0), 'content-type': 'application/json' };
      return (await scene.party.answer({ method: 'POST', path: `/api/passkeys${path}`, headers, body: JSON.stringify(body) })).status;
    });
    expect((await Promise.all(answers)).filter((status) => status >= 500)).toEqual([]);
  });

  test.each(Object.entries(STATEMENTS))('bytes of an attestation object with %s changed or cut', async (_name, attest) => {
    const scene = lastingScene();
    const options = await scene.creationOptions({ attestation: 'direct' });
    const { body } = create(options, { attest } satisfies CreateChange);
    const response: Json = { ...Object(body['response']) };
    const object = Buffer.from(String(response['attestationObject']), 'base64url');
    const places = Array.from(object.keys()).filter((place) => place % 9 === 0);
    const changed = places.flatMap((place) => {
      const flipped = Buffer.from(object);
      flipped[place] = (flipped[place] ?? 0) ^ 0xff;
      return [flipped, object.subarray(0, place)];
    });
    const statuses = await Promise.all(
      changed.map(async (bytes) => {
        const spoiled = { ...body, response: { ...response, attestationObject: bytes.toString('base64url') } };
        return (await scene.submit(spoiled)).status;
      }),
    );
    expect(statuses.length).toBeGreaterThan(40);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });
});
