import { describe, expect, test } from 'vitest';
import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import { type CeremonyReport, reportAuthentication, reportRegistration } from '../../../src/explain/report/report.js';
import { DEFAULT_POLICY } from '../../../src/relying-party/policy.js';
import { createRelyingParty } from '../../../src/relying-party/relying-party.js';
import { createMemoryStore } from '../../../src/store/memory.js';
import { ALGORITHMS } from '../../../src/webauthn/algorithms.js';
import { writePem } from '../../../src/webauthn/pem.js';
import { STANDARD_ROOT } from '../../authenticator/attestation/w3c-formats.js';
import { standardCeremonies } from '../../client/standard-ceremonies.js';
import { OWNER, START } from '../../relying-party/world.js';
import { ORIGIN, PUBLISHED_HASHES, RP_ID } from '../../webauthn/w3c-vectors.js';
import { knownCeremony } from './reported.js';

/** The test vectors of the standard (§16): what it publishes as good must be accepted, with the root of their certificates and without. */

const algorithms = ALGORITHMS.map(({ id }) => id);
/** Two vectors come from an iframe, one names the page around it. */
const topOrigins = ['https://example.com'];
const ROOT = writePem(STANDARD_ROOT);
const NONE: readonly string[] = [];

/** In which requirements a vector deviates from the text that it illustrates. */
const WARNINGS: Readonly<Record<string, readonly string[]>> = {
  'tpm.ES256': ['certificate-tpm-manufacturer'],
  'android-key.ES256': ['key-origin', 'key-purpose'],
  'fido-u2f.ES256': ['certificate-aaguid'],
};

const vectors = PUBLISHED_HASHES.map(({ recipe }) => ({ recipe, warnings: WARNINGS[recipe.info] ?? NONE }));
/** The root is that of the certificates: a policy with roots asks for one, or for self attestation. */
const attested = vectors.filter(({ recipe }) => !recipe.info.startsWith('none.'));

const warningsOf = ({ attestation }: CeremonyReport) =>
  attestation?.checks.filter(({ status }) => status === 'warn').map(({ slug }) => slug);

async function explainRegistration(recipe: (typeof vectors)[number]['recipe'], attestationRoots: readonly string[]) {
  const { registration, credential } = await standardCeremonies(recipe);
  return reportRegistration(readCredential({ ...registration }), {
    ...knownCeremony,
    rpId: RP_ID,
    origins: [ORIGIN],
    topOrigins,
    challenge: { status: 'open', challenge: credential.registration.challenge },
    algorithms,
    attestationRoots,
    credentialKnown: false,
  });
}

describe.each(vectors)('$recipe.info', ({ recipe, warnings }) => {
  test('the registration is accepted without roots', async () => {
    const report = await explainRegistration(recipe, []);
    expect(report).toMatchObject({ verdict: 'accepted', failed: undefined });
    expect(warningsOf(report)).toEqual(warnings);
  });

  test('the login is accepted', async () => {
    const { authentication, credential } = await standardCeremonies(recipe);
    const report = await reportAuthentication(readCredential({ ...authentication }), {
      ...knownCeremony,
      rpId: RP_ID,
      origins: [ORIGIN],
      topOrigins,
      challenge: { status: 'open', challenge: credential.authentication.challenge },
      credential: {
        publicKey: credential.credentialPublicKey,
        signCount: 0,
        backupEligible: credential.registration.flags.be,
        backupState: credential.registration.flags.bs,
        userHandle: undefined,
      },
      allowCredentials: [credential.credentialId],
    });
    expect(report).toMatchObject({ verdict: 'accepted', failed: undefined });
  });
});

describe.each(attested)('$recipe.info, given the root', ({ recipe, warnings }) => {
  const trust = recipe.info.startsWith('packed-self.') ? 'untrusted' : 'trusted';

  test('is accepted by explain', async () => {
    const report = await explainRegistration(recipe, [ROOT]);
    expect(report).toMatchObject({ verdict: 'accepted', failed: undefined });
    expect(report.steps.find(({ slug }) => slug === 'attestation-trust')).toMatchObject({ status: 'pass' });
    expect(warningsOf(report)).toEqual(warnings);
  });

  test('is accepted by the relying party', async () => {
    const { registration, credential } = await standardCeremonies(recipe);
    const relyingParty = createRelyingParty({
      store: createMemoryStore(),
      policy: { ...DEFAULT_POLICY, algorithms, topOrigins, attestation: 'direct', attestationRoots: [ROOT] },
      origins: [],
      now: () => START,
      newChallenge: () => credential.registration.challenge,
    });
    const user = { owner: OWNER, id: Uint8Array.of(49), name: 'user', displayName: 'User' };
    await relyingParty.beginRegistration({ user, rpId: RP_ID, rpName: 'W3C', origins: [ORIGIN], client: 'test' });
    const passkey = await relyingParty.register({ owner: OWNER, response: registration });
    expect(passkey).toMatchObject({ attestation: { format: recipe.info.replace(/(-self)?\..*$/, ''), trust } });
  });
});
