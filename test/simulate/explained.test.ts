import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PasskeyError } from '../../src/errors.js';
import { readCredential } from '../../src/explain/annotate/read-credential.js';
import { reportAuthentication, reportRegistration } from '../../src/explain/report/report.js';
import type { CeremonyFinished } from '../../src/relying-party/events.js';
import type { Verdict } from '../../src/relying-party/judge.js';
import { type InProcessServer, startInProcess } from '../../src/simulate/engine/in-process.js';
import { simulate } from '../../src/simulate/simulate.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import type { JsonObject } from '../../src/webauthn/json-value.js';

/** Every ceremony that finished while the cases ran. */
const finished: CeremonyFinished[] = [];
let server: InProcessServer;

beforeAll(async () => {
  server = startInProcess();
  const underTest = await server.open();
  underTest.relyingParty.on((event) => {
    if (event.type === 'ceremony-finished') finished.push(event);
  });
  const tokens: string[] = [];
  for (const name of ['one', 'two']) {
    const owner = await underTest.accounts.addOwner({ email: `${name}@example.org`, name });
    tokens.push((await underTest.accounts.createToken({ owner })).token);
  }
  const report = await simulate({ fixtures: [], version: '0.0.0', target: { url: underTest.target.url.href, tokens } });
  expect(report.summary.failed).toBe(0);
});
afterAll(() => server.close());

const json = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

/** The verdict of explain, given what the server knew. */
async function explained({ kind, ceremony, response, passkey, owner, error, policy, at }: CeremonyFinished): Promise<Verdict> {
  const status = error?.code === 'challenge_used' ? 'used' : error?.code === 'challenge_expired' ? 'expired' : 'open';
  // A challenge issued for another purpose says nothing about this ceremony.
  const known = error?.code === 'challenge_unknown' ? undefined : ceremony;
  const common = {
    rpId: known?.rpId,
    origins: known?.origins,
    challenge: known && ({ status, challenge: known.challenge } as const),
    topOrigins: known?.topOrigins ?? [],
    userVerification: known?.userVerification ?? 'preferred',
    options: known && json(known.options),
    at,
  };
  const credentialKnown = error?.code === 'credential_already_registered';
  try {
    if (kind === 'registration') {
      expect(owner).toBeDefined();
      const { attestationRoots } = policy;
      const report = await reportRegistration(readCredential(json(response)), {
        ...common,
        algorithms: known?.algorithms,
        attestationRoots,
        credentialKnown,
      });
      return report.verdict;
    }
    const asked = known?.credentialId ?? (known === undefined ? [] : listed(known.options));
    const allowCredentials = asked instanceof Uint8Array ? [asked] : asked;
    const credential = passkey === undefined ? ('unregistered' as const) : { ...passkey.credential, userHandle: passkey.userHandle };
    return (await reportAuthentication(readCredential(json(response)), { ...common, credential, allowCredentials })).verdict;
  } catch (thrown) {
    // Malformed responses cannot be explained; the server refuses them too.
    expect(thrown).toBeInstanceOf(PasskeyError);
    return 'rejected';
  }
}

function listed(options: Readonly<Record<string, unknown>>): Uint8Array[] {
  const { allowCredentials = [] } = json(options) as { allowCredentials?: { id: string }[] };
  return allowCredentials.map(({ id }) => decodeBase64url(id));
}

describe('over the whole catalogue', () => {
  test('explain accepts what the server accepts, and nothing that it refuses', async () => {
    expect(finished.filter(({ outcome }) => outcome === 'verified').length).toBeGreaterThan(50);
    expect(finished.filter(({ outcome }) => outcome === 'rejected').length).toBeGreaterThan(50);
    const differences: string[] = [];
    for (const event of finished) {
      const verdict = await explained(event);
      const accepted = verdict === 'accepted';
      // Without the challenge's ceremony, explain stays undecided.
      const agrees = event.outcome === 'verified' ? accepted : !accepted;
      if (!agrees) differences.push(`${event.kind} ${event.outcome} ${event.error?.code}: ${verdict}`);
    }
    expect(differences).toEqual([]);
  });
});
