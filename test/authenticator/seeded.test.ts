import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SIGNING_ALGORITHMS } from '../../src/authenticator/algorithms.js';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { systemKeyPairs } from '../../src/authenticator/key-pair.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { openSigningKey } from '../../src/authenticator/signing-key.js';
import { concatBytes, toHex } from '../../src/kernel/bytes.js';
import { verifyRaw } from '../client/independent.js';
import { WAYS } from './attestation/ways.js';
import { clientDataHash, getRequest, granted, makeRequest, systemRandom, takeApart, user } from './requests.js';
import hashes from './seeded.sha256.json' with { type: 'json' };

const SEED = 'a seed for tests';
const now = () => Date.UTC(2026, 0, 1);

/** Two registrations and two logins. */
async function ceremonies(alg: number, options: AuthenticatorOptions = { seed: SEED, now }) {
  const authenticator = createAuthenticator({ algorithms: [alg], attestation: 'packed', ...options });
  const pubKeyCredParams = [{ type: 'public-key', alg } as const];
  const made = [];
  for (const id of ['1', '2']) {
    made.push(granted(await authenticator.makeCredential(makeRequest({ user: user(id), pubKeyCredParams }))));
  }
  const got = [granted(await authenticator.getAssertion(getRequest())), granted(await authenticator.getAssertion(getRequest()))];
  return { made, got };
}

/** SHA-256 of all that both ceremonies gave. */
function digest({ made, got }: Awaited<ReturnType<typeof ceremonies>>): string {
  const hash = createHash('sha256');
  for (const { attestationObject } of made) hash.update(attestationObject);
  for (const { authenticatorData, signature } of got) hash.update(authenticatorData).update(signature);
  return hash.digest('hex');
}

describe('a seeded authenticator', () => {
  const recorded: Readonly<Record<string, string>> = hashes;

  test.each(SIGNING_ALGORITHMS)('gives with $name, on every platform, the bytes whose SHA-256 is recorded', async ({ id, name }) => {
    const run = await ceremonies(id);
    expect({ [name]: digest(run) }).toEqual({ [name]: recorded[name] });
    expect([...run.made, ...run.got].map(({ undetermined }) => undetermined)).toEqual([[], [], [], []]);
    for (const made of run.made) {
      const { authData, attStmt, attested } = takeApart(made);
      const sig = attStmt.get('sig');
      expect(sig instanceof Uint8Array && (await verifyRaw(attested.credentialPublicKey, sig, concatBytes(authData, clientDataHash)))).toBe(
        true,
      );
    }
  });

  test.each(WAYS)('attests by $name with the bytes whose SHA-256 is recorded', async ({ name, attestation }) => {
    const authenticator = createAuthenticator({
      algorithms: [-7, -257],
      attestation,
      seed: SEED,
      now,
      aaguid: new Uint8Array(16).fill(0xaa),
    });
    const attest = async (alg: number) => {
      const request = makeRequest({ pubKeyCredParams: [{ type: 'public-key', alg }], user: user(String(alg)) });
      const { attestationObject, undetermined } = granted(await authenticator.makeCredential(request));
      expect(undetermined).toEqual([]);
      return createHash('sha256').update(attestationObject).digest('hex');
    };
    const made = { [`${name} of ES256`]: await attest(-7), [`${name} of RS256`]: await attest(-257) };
    expect(made).toEqual(Object.fromEntries(Object.keys(made).map((key) => [key, recorded[key]])));
  });

  test('draws other keys, IDs and secrets from another seed, for another RP, for another user and for the next credential', async () => {
    const drawn = new Set<string>();
    const make = async (seed: string | Uint8Array, rpId: string, ...users: readonly string[]) => {
      const authenticator = createAuthenticator({ seed });
      for (const id of users) {
        const request = makeRequest({ rp: { id: rpId, name: rpId }, user: user(id), extensions: { prf: {} }, requireResidentKey: false });
        granted(await authenticator.makeCredential(request));
      }
      for (const { id, privateKey, prf } of await authenticator.store.list()) {
        for (const bytes of [id, privateKey, prf?.withVerification, prf?.withoutVerification]) drawn.add(toHex(bytes ?? new Uint8Array()));
      }
    };
    await make(SEED, 'example.com', '1', '1');
    await make('other', 'example.com', '1');
    await make(Uint8Array.of(1), 'example.com', '1');
    await make(SEED, 'other.example', '1');
    await make(SEED, 'example.com', '2');
    expect(drawn.size).toBe(6 * 4);
  });

  test('does not mix the streams of creations that overlap', async () => {
    const run = async (first: number) => {
      let prompts = 0;
      const authenticator = createAuthenticator({
        seed: SEED,
        userVerifier: {
          canVerify: true,
          // The one that was asked first answers first or last.
          verify: async () => {
            const turns = prompts++ === 0 ? first : 5;
            for (let turn = 0; turn < turns; turn++) await Promise.resolve();
            return 'verified' as const;
          },
        },
      });
      const requests = ['1', '2'].map((id) => authenticator.makeCredential(makeRequest({ user: user(id) })));
      return (await Promise.all(requests)).map((answer) => toHex(granted(answer).attestationObject));
    };
    expect(await run(0)).toEqual(await run(50));
  });

  test('takes a seed in bytes like its text in UTF-8', async () => {
    const [text, bytes] = await Promise.all([ceremonies(-7), ceremonies(-7, { seed: new TextEncoder().encode(SEED), now })]);
    expect(digest(text)).toBe(digest(bytes));
  });

  test('says in the answer what does not come from the seed', async () => {
    const undetermined = async (options: AuthenticatorOptions) => (await ceremonies(-7, { seed: SEED, ...options })).made[0]?.undetermined;
    const telling = {
      fmt: 'telling-time',
      statement: ({ now: clock }: { now: () => number }) => new Map([['time', clock()]]),
    };
    expect(await undetermined({ newPrivateKey: systemKeyPairs })).toEqual(['privateKey: it comes from newPrivateKey, not from the seed']);
    expect(await undetermined({ newCredentialId: systemRandom })).toEqual([
      'credentialId: it comes from newCredentialId, not from the seed',
    ]);
    expect(await undetermined({ attestation: telling, now })).toEqual([
      'attStmt: the format telling-time is not declared deterministic, so its statement may differ',
    ]);
    expect(await undetermined({ attestation: { ...telling, deterministic: true } })).toEqual([
      'attStmt: it contains the system time; set now',
    ]);
    expect(await undetermined({ attestation: { ...telling, deterministic: true }, now })).toEqual([]);
    expect(await undetermined({ newPrivateKey: systemKeyPairs, newCredentialId: systemRandom, attestation: telling })).toEqual([
      'privateKey: it comes from newPrivateKey, not from the seed',
      'credentialId: it comes from newCredentialId, not from the seed',
      'attStmt: the format telling-time is not declared deterministic, so its statement may differ',
      'attStmt: it contains the system time; set now',
    ]);
    expect(await undetermined({})).toEqual([]);
    const unseeded = await ceremonies(-7, {});
    expect([...unseeded.made, ...unseeded.got].filter((answer) => 'undetermined' in answer)).toEqual([]);
  });

  test('takes no other source of randomness', () => {
    expect(() => createAuthenticator({ seed: SEED, random: systemRandom })).toThrow(
      new TypeError('Expected either a seed or a random source; got both. Leave one out.'),
    );
    expect(() => createAuthenticator({ seed: SEED, openKey: openSigningKey })).toThrow(
      new TypeError('Expected either a seed or openKey; got both. Leave one out.'),
    );
  });
});
