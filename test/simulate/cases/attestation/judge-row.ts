import { createAuthenticator } from '../../../../src/authenticator/authenticator.js';
import { createClient } from '../../../../src/client/client.js';
import { PasskeyError } from '../../../../src/errors.js';
import { readRoots } from '../../../../src/relying-party/attestation/roots.js';
import { type AttestationReport, verifyAttestation } from '../../../../src/relying-party/attestation/verify-attestation.js';
import { DEFAULT_POLICY } from '../../../../src/relying-party/policy.js';
import { createRelyingParty } from '../../../../src/relying-party/relying-party.js';
import { AUTHORITY } from '../../../../src/simulate/cases/attestation/makers/certified.js';
import type { AttestationRow } from '../../../../src/simulate/cases/attestation/row.js';
import { attestAnew } from '../../../../src/simulate/cases/attestation/row.js';
import { createMemoryStore } from '../../../../src/store/memory.js';
import { decodeAttestationObject } from '../../../../src/webauthn/attestation-object.js';
import { decodeBase64url } from '../../../../src/webauthn/base64url.js';
import type { RegistrationResponseJSON } from '../../../../src/webauthn/json.js';
import { writePem } from '../../../../src/webauthn/pem.js';
import { quickKeys } from '../../../authenticator/requests.js';
import { sha256 } from '../../../webauthn/w3c-vectors.js';

export const ORIGIN = 'https://example.org';
const OWNER = { type: 'User', id: 1 } as const;
const CHALLENGE = new Uint8Array(32).fill(7);

/** When everything happens: certificates of the rows are valid then, or are not on purpose. */
export const NOW = Date.UTC(2026, 0, 15);

type CreationOptions = Parameters<ReturnType<typeof createClient>['create']>[0]['publicKey'];

export interface Judged {
  /** `accepted`, or the code and the step of the refusal. */
  readonly outcome: string;
  /** What our own steps make of the statement; undefined where the attestation object cannot be read. */
  readonly report: AttestationReport | undefined;
}

/** A registration with the statement of the row, at a relying party of ours. */
export async function judgeRow(row: AttestationRow, trust: 'test root' | 'no roots'): Promise<Judged> {
  const { algorithm = -7, attestation = 'direct' } = row;
  const roots = trust === 'test root' ? [AUTHORITY.root] : [];
  const relyingParty = createRelyingParty({
    store: createMemoryStore(),
    policy: { ...DEFAULT_POLICY, algorithms: [algorithm], attestation, attestationRoots: roots.map((root) => writePem(root)) },
    origins: [],
    now: () => NOW,
    newChallenge: () => CHALLENGE,
  });
  const publicKey = await relyingParty.beginRegistration({
    user: { owner: OWNER, id: Uint8Array.of(1), name: 'ada@example.org', displayName: 'Ada' },
    rpId: 'example.org',
    rpName: 'Example',
    origins: [ORIGIN],
    client: 'test',
  });
  const response = await responseOf(row, publicKey);
  return { outcome: await outcomeOf(relyingParty.register({ owner: OWNER, response })), report: reportOf(response.response, roots) };
}

/** A registration with the statement of the row. */
export async function responseOf(row: AttestationRow, publicKey: CreationOptions, origin = ORIGIN): Promise<RegistrationResponseJSON> {
  const authenticator = createAuthenticator({ algorithms: [row.algorithm ?? -7], newPrivateKey: quickKeys });
  const honest = await createClient({ authenticator, origin }).create({ publicKey });
  const [source] = await authenticator.store.list();
  if (source === undefined) throw new Error('Expected a credential; got none.');
  return attestAnew(row, honest, source, () => NOW);
}

async function outcomeOf(registration: Promise<unknown>): Promise<string> {
  try {
    await registration;
    return 'accepted';
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return `${error.code} at ${error.step?.slug}`;
  }
}

function reportOf(
  { attestationObject, clientDataJSON }: { readonly attestationObject: string; readonly clientDataJSON: string },
  roots: readonly Uint8Array[],
): AttestationReport | undefined {
  try {
    return verifyAttestation({
      attestationObject: decodeAttestationObject(decodeBase64url(attestationObject)),
      clientDataHash: sha256(decodeBase64url(clientDataJSON)),
      at: NOW,
      roots: readRoots(roots),
    });
  } catch (error) {
    if (error instanceof PasskeyError) return undefined;
    throw error;
  }
}

/** The slugs of the sub-checks that failed; where none did, that on trust if it did. Of an object that cannot be read, there is no other rule. */
export function brokenRules({ report }: Judged): string[] {
  if (report === undefined) return ['attestation-object'];
  const failed = report.checks.filter(({ status }) => status === 'fail');
  const untrusted = failed.length === 0 && report.trust.check.status === 'fail' ? [report.trust.check] : [];
  return [...failed, ...untrusted].map(({ slug }) => slug);
}
