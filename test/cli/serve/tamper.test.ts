import { describe, expect, test } from 'vitest';
import { catalogue } from '../../../src/cli/serve/software.js';
import { asObject, type JsonObject } from '../../../src/kernel/json-value.js';
import { DEFAULT_POLICY } from '../../../src/relying-party/policy.js';
import type { WantedChallenge } from '../../../src/server/software-answers.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeClientData } from '../../../src/webauthn/client-data.js';
import { ACCEPTED, challengeOf, ORIGIN, openSite, RP_ID } from '../browse/browsed.js';

const clientDataOf = (response: JsonObject) => decodeClientData(decodeBase64url(String(asObject(response['response'])['clientDataJSON'])));

/** A registration and a login, as a browser made them, and the server that is to be broken. */
async function ceremonies() {
  const { perform } = openSite();
  const [created, got] = [await perform('create', { answered: ACCEPTED }), await perform('get')];
  const wanted: WantedChallenge[] = [];
  const asked: string[] = [];
  const tamper = async (id: string, options: unknown, given: unknown, { algorithm = -7, challenge = challengeOf(9) } = {}) => {
    const { tamper: mutation, response } = asObject(
      await catalogue.tamper({
        id,
        options,
        response: given,
        algorithmOf: async (credentialId) => {
          asked.push(credentialId);
          return algorithm === 0 ? undefined : algorithm;
        },
        findChallenge: (each) => {
          wanted.push(each);
          return challenge === '' ? undefined : challenge;
        },
      }),
    );
    return { mutation, response: asObject(response) };
  };
  return { created, got, wanted, asked, tamper };
}

test('GET /dev/mutations says which do not fit the settings of the server', async () => {
  const rows = (await catalogue.list({ ...DEFAULT_POLICY, selfAttestation: 'refuse', origin: 'http://localhost:7277' })).map(asObject);
  const ids = rows.map(({ id }) => id);
  expect([ids.includes('login.signature-bit'), ids.includes('login.challenge-used'), new Set(ids).size]).toEqual([true, true, ids.length]);
  const unfit = rows.flatMap((row) => ('unfit' in row ? [`${String(row['id'])}: ${String(row['unfit'])}`] : []));
  expect(unfit).toContain(
    'register.tpm-root-of-stranger: it trusts no root; start it with --attestation-roots and what `passkey attestation-root` prints',
  );
  expect(unfit.filter((text) => /^login\.sign|^register\.challenge/.test(text))).toEqual([]);
});

describe('POST /dev/tamper', () => {
  test('breaks the response of a registration, and that of a login, whose algorithm the server knows', async () => {
    const { created, got, asked, tamper } = await ceremonies();
    const origin = await tamper('origin-other-port', created.options, created.response);
    expect(origin.mutation).toMatchObject({ id: 'register.origin-other-port', ceremony: 'registration' });
    expect([clientDataOf(origin.response).origin, asked]).toEqual([`${ORIGIN}:1`, []]);
    const { id } = asObject(got.response);
    const broken = await tamper('login.signature-bit', got.options, got.response);
    expect(broken.mutation).toMatchObject({ id: 'login.signature-bit', ceremony: 'authentication' });
    const { signature, ...honest } = asObject(asObject(got.response)['response']);
    const { signature: other, ...rest } = asObject(broken.response['response']);
    expect([rest, other === signature, asked]).toEqual([honest, false, [id]]);
  });

  test('answers another challenge of the server', async () => {
    const { created, got, wanted, tamper } = await ceremonies();
    const registration = await tamper('register.challenge-used', created.options, created.response);
    expect(registration.mutation).toMatchObject({ id: 'register.challenge-used' });
    const login = await tamper('login.challenge-expired', got.options, got.response);
    for (const { response } of [registration, login]) {
      expect(clientDataOf(response)).toMatchObject({ challenge: challengeOf(9), origin: ORIGIN });
    }
    const { id } = asObject(got.response);
    expect(wanted).toEqual([
      { of: 'registration', state: 'used', rpId: RP_ID, userHandle: 'AQID', credentialId: asObject(created.response)['id'] },
      { of: 'authentication', state: 'expired', rpId: RP_ID, credentialId: id },
    ]);
  });

  test.each([
    ['login.challenge-used', 'a login that has been answered, and this server remembers none. Finish a login first.'],
    [
      'login.challenge-expired',
      'a login that has expired unanswered, and this server remembers none. Request options of a login with "timeout": 1000, leave them unanswered for two seconds, and try again within two minutes.',
    ],
    [
      'login.challenge-of-registration',
      'a registration that has been begun, and this server remembers none. Request options of a registration first.',
    ],
  ])('says what %s needs', async (id, needs) => {
    const { got, tamper } = await ceremonies();
    await expect(tamper(id, got.options, got.response, { challenge: '' })).rejects.toMatchObject({
      code: 'not_applicable',
      message: `The mutation ${id} does not apply here: it needs ${needs}`,
    });
  });

  test('refuses what does not belong together, and a passkey that the server does not have', async () => {
    const { created, got, tamper } = await ceremonies();
    const others = (kind: string) =>
      `Expected the options that the response answers; got a response of ${kind} with the options of the other ceremony.`;
    await expect(tamper('register.rp-id-hash', got.options, created.response)).rejects.toMatchObject({
      code: 'validation_failed',
      message: others('registration'),
    });
    await expect(tamper('login.signature-bit', created.options, got.response)).rejects.toMatchObject({
      code: 'validation_failed',
      message: others('authentication'),
    });
    await expect(tamper('login.signature-bit', got.options, got.response, { algorithm: 0 })).rejects.toMatchObject({
      code: 'passkey_not_found',
      message: 'This server has no passkey with the credential ID of the response. Register it first.',
    });
    // The name of a mutation is a member of the request here, no argument.
    await expect(tamper('login.nothing', got.options, got.response)).rejects.toMatchObject({
      code: 'validation_failed',
      cause: { code: 'usage' },
    });
  });
});
