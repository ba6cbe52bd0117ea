import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import { type CeremonyReport, reportAuthentication } from '../../../src/explain/report/report.js';
import { concatBytes, encodeUtf8 } from '../../../src/kernel/bytes.js';
import { loadLibrary } from '../../../src/relying-party/simplewebauthn.js';
import { AUTHENTICATION_STEPS } from '../../../src/relying-party/steps/authentication.js';
import { REGISTRATION_STEPS } from '../../../src/relying-party/steps/registration.js';
import { decodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import {
  RECORDINGS,
  type RecordedAuthentication,
  type Recording,
  recordedCredential,
  recordedEnvelope,
  recordedKnowledge,
  recordedStatement,
  reportRecorded,
} from './recordings.js';
import { flipped } from './statements.js';

/** All of §7.1 and §7.2 on ceremonies of real devices and browsers, the verification library beside it. */

const accepted = RECORDINGS.filter(({ expected }) => expected.verdict === 'accepted');

/** `recorded` is what the relying party goes by, `response` what it gets. */
function authentication(
  recording: Recording,
  recorded: RecordedAuthentication,
  { ...response }: RecordedAuthentication = recorded,
): Promise<CeremonyReport> {
  const input = recordedStatement(recording);
  const { signCount, flags } = decodeAuthenticatorData(input.attestationObject.authData);
  const { credentialId, credentialPublicKey: publicKey } = recordedCredential(input);
  const userHandle = decodeBase64url(recorded.userHandle ?? 'AA');
  const known = recordedKnowledge(recorded.clientDataJSON, decodeBase64url(recorded.authenticatorData), recording.at);
  const credential = { publicKey, signCount, backupEligible: flags.be, backupState: flags.bs, userHandle };
  return reportAuthentication(readCredential({ ...recordedEnvelope(input), response }), {
    ...known,
    credential,
    allowCredentials: [credentialId],
  });
}

beforeAll(loadLibrary);
afterEach(() => {
  vi.useRealTimers();
});

describe.each(accepted)('$file', (recording) => {
  test('is accepted by every step, and by the library as of the same time', async () => {
    const at = Date.parse(recording.at);
    // The library asks the clock of the process, which is no part of ours.
    vi.useFakeTimers({ now: at, toFake: ['Date'] });
    const { verdict, steps, library, difference } = await reportRecorded(recording);
    expect({ verdict, library, difference }).toEqual({
      verdict: 'accepted',
      library: { verdict: 'accepted', reason: undefined },
      difference: undefined,
    });
    expect(steps).toHaveLength(REGISTRATION_STEPS.length);
  });

  test('is still accepted by the steps in 2100, and where the library refuses it then, the report says why', async () => {
    const later = Date.UTC(2100, 0);
    vi.useFakeTimers({ now: later, toFake: ['Date'] });
    const { verdict, library, difference } = await reportRecorded(recording);
    expect(verdict).toBe('accepted');
    const why = recording.file.startsWith('safetynet') ? AGE : TODAY;
    expect(difference).toBe(library.verdict === 'accepted' ? undefined : why);
  });
});

const loggedIn = accepted.flatMap((recording) => {
  const { authentication: recorded } = recording;
  return recorded === undefined ? [] : [{ file: recording.file, recording, recorded }];
});

describe.each(loggedIn)('$file, authentication', ({ recording, recorded }) => {
  test('is accepted by every step, and by the library', async () => {
    const { verdict, steps, library, difference } = await authentication(recording, recorded);
    expect({ verdict, library, difference }).toEqual({
      verdict: 'accepted',
      library: { verdict: 'accepted', reason: undefined },
      difference: undefined,
    });
    expect(steps).toHaveLength(AUTHENTICATION_STEPS.length);
  });

  test.each<[string, (recorded: RecordedAuthentication) => Partial<RecordedAuthentication>, string]>([
    ['one bit of the signature', ({ signature }) => ({ signature: forged(signature) }), 'signature'],
    ['one bit of the sign count', ({ authenticatorData }) => ({ authenticatorData: forged(authenticatorData, 33) }), 'signature'],
    ['one bit of the RP ID hash', ({ authenticatorData }) => ({ authenticatorData: forged(authenticatorData, 0) }), 'rp-id-hash'],
    ['a blank more in the client data', ({ clientDataJSON }) => ({ clientDataJSON: withBlank(clientDataJSON) }), 'signature'],
  ])('%s: refused by its step, and by the library', async (_, change, slug) => {
    const { failed, library } = await authentication(recording, recorded, { ...recorded, ...change(recorded) });
    expect(failed?.slug).toBe(slug);
    expect(library.verdict).toBe('rejected');
  });
});

const forged = (text: string, at?: number) => encodeBase64url(flipped(decodeBase64url(text), at));
const withBlank = (text: string) => encodeBase64url(concatBytes(decodeBase64url(text), encodeUtf8(' ')));

const TODAY = 'The library judges certificates as of today; the steps as of the time of the ceremony, at which they were valid.';
const AGE =
  'The library requires the SafetyNet response to be less than a minute old today; §8.5 does not, and the nonce of the response is bound to the challenge.';
