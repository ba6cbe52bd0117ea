import type { Fixture } from '../fixture/format.js';
import { integrityOf } from '../fixture/integrity.js';
import { decodeBase64, decodeBase64url, encodeBase64 } from '../webauthn/base64url.js';
import { compareOptions } from './compare-options.js';
import { compareStored } from './compare-stored.js';
import { type HttpAnswer, postJson } from './http.js';
import type { InProcess, Room } from './in-process.js';
import type { Mismatch } from './report.js';
import { compareAnswer, describeAnswer, objectOf, type Verdict, verdictOf } from './scenario.js';
import { seedOwner, seedPasskeys } from './seed.js';

/**
 * Replays a recording as it is: the server under test issues the recorded challenge at the recorded time and is sent the
 * recorded response, byte for byte. Options, answer and stored record are held against the recording.
 */
export async function replayVerbatim(fixture: Fixture, server: InProcess): Promise<Verdict> {
  const { ceremony, origin, expected } = fixture;
  const room = await server.open({ policy: ceremony.policy, origins: ceremony.origins, now: Date.parse(ceremony.issuedAt) });
  await seedOwner(room, fixture);
  await seedPasskeys(room, fixture);
  const challenge = decodeBase64url(ceremony.challenge);
  room.pinChallenge(challenge);

  const { optionsAt, responseAt, begin } = requestsOf(fixture);
  const token = fixture.kind === 'registration' ? (await room.accounts.createToken({ owner: fixture.owner })).token : undefined;
  const integrity = compareIntegrity(fixture);
  const begun = await postJson(room.target, optionsAt, begin, token);
  if (begun.status !== 200) {
    const mismatch = { at: `POST ${optionsAt}`, expected: `options for ${origin} (200)`, received: describeAnswer(begun) };
    return verdictOf([...integrity, mismatch]);
  }
  const options = compareOptions(fixture, objectOf(begun.json), `options of POST ${optionsAt}`);

  if (ceremony.state === 'used') await room.store.takeCeremony(challenge, room.now());
  if (fixture.credential?.revoked) await revokeSeeded(room, fixture);
  room.setTime(Date.parse(ceremony.answeredAt));
  const answer = await postJson(room.target, responseAt, fixture.response, token);

  const answered = compareAnswer(`POST ${responseAt}`, expected, answer);
  const stored = answered.length > 0 ? [] : [...compareBody(fixture, answer), ...(await compareStored(fixture, room))];
  return verdictOf([...integrity, ...options, ...answered, ...stored]);
}

/** Paths of the two requests, and the body of the first. */
function requestsOf({ kind, rpId, origin, ceremony, response }: Fixture) {
  if (kind === 'registration') {
    const { name } = objectOf(ceremony.options.rp);
    const begin = { app_name: typeof name === 'string' ? name : rpId, app_url: origin };
    return { optionsAt: '/api/passkeys/register/options', responseAt: '/api/passkeys/register', begin };
  }
  if (ceremony.discoverable) {
    return { optionsAt: '/api/passkeys/login/options', responseAt: '/api/passkeys/login', begin: { app_url: origin } };
  }
  const { allowCredentials } = ceremony.options;
  const [asked] = Array.isArray(allowCredentials) ? allowCredentials : [];
  const begin = { credential_id: objectOf(asked).id ?? response.id };
  return { optionsAt: '/api/passkeys/verify/options', responseAt: '/api/passkeys/login', begin };
}

function compareIntegrity(fixture: Fixture): Mismatch[] {
  const received = integrityOf(fixture);
  if (fixture.integrity === undefined || fixture.integrity === received) return [];
  return [
    {
      at: 'integrity',
      expected: fixture.integrity,
      received,
      hint: 'The file was changed after it was recorded. Restore it; or, if the change is meant, remove the member "integrity".',
    },
  ];
}

async function revokeSeeded({ store, relyingParty }: Room, { credential }: Fixture): Promise<void> {
  const passkey = credential && (await store.findPasskeyByCredentialId(decodeBase64url(credential.id)));
  if (passkey !== undefined) await relyingParty.revoke(passkey.id, { reason: 'revoked in the recording' });
}

/** The answer must name whom and what the ceremony was about. */
function compareBody(fixture: Fixture, { json }: HttpAnswer): Mismatch[] {
  if (fixture.expected.outcome !== 'verified') return [];
  const body = objectOf(json);
  const [member, received, expected] =
    fixture.kind === 'registration'
      ? ['passkey.credential_id', objectOf(body.passkey).credential_id, standardBase64(fixture.response.id)]
      : ['user.id', objectOf(body.user).id, fixture.owner.id];
  return received === expected ? [] : [{ at: `${member} of the answer`, expected: String(expected), received: String(received) }];
}

function standardBase64(text: unknown): string {
  return encodeBase64(decodeBase64(String(text))?.bytes ?? new Uint8Array());
}
