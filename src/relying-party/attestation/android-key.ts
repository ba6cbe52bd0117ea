import { equalBytes } from '../../kernel/bytes.js';
import { KEY_ORIGINS, KEY_PURPOSES, type KeyDescription, keyDescription } from '../../webauthn/android-key-description.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { showBytes } from '../show.js';
import { verifyCertified } from './certified.js';
import { mlDsaKey } from './ml-dsa.js';
import { checkSameKey } from './same-key.js';
import { importSubjectKey, signatureChecks } from './signature.js';
import { type StatementFinding, type StatementInput, signedBytes } from './statement.js';
import { attempt, decide, judge, type Requirement, type SubCheck } from './sub-check.js';

const REFERENCE = '§8.4';
const SIGN = 2;
const VERIFY = 3;
const GENERATED = 0;

/** Verifies an Android Key attestation statement (§8.4). */
export function verifyAndroidKey(input: StatementInput): StatementFinding {
  return verifyCertified(input, {
    reference: REFERENCE,
    attestationType: 'basic',
    shape: { alg: 'integer', sig: 'bytes', x5c: 'certificates' },
    judge: ([credential], { alg, sig }) => [
      ...signatureChecks({
        alg,
        key: importSubjectKey(credential.publicKey),
        otherwise: mlDsaKey(credential.publicKey, input.mlDsa),
        owner: 'the first certificate',
        data: signedBytes(input),
        over: 'the authenticator data and the hash of the client data',
        signature: sig,
        reference: REFERENCE,
      }),
      ...checkSameKey(input, credential, REFERENCE),
      ...checkKeyDescription(input, credential),
    ],
  });
}

function checkKeyDescription(input: StatementInput, credential: Certificate): SubCheck[] {
  const requirement: Requirement = {
    slug: 'key-description',
    reference: '§8.4.1',
    expected: 'extension 1.3.6.1.4.1.11129.2.1.17 with a key description',
    hint: 'The first certificate must be that of an Android key attestation.',
  };
  const found = attempt(() => keyDescription(credential));
  if (!found.ok || found.value === undefined) {
    return [judge(requirement, false, found.ok ? 'no such extension' : found.message)];
  }
  const description = found.value;
  return [
    judge(requirement, true, `attestation version ${description.attestationVersion}`),
    checkChallenge(description, input.clientDataHash),
    checkAllApplications(description),
    checkOrigin(description),
    checkPurpose(description),
  ];
}

function checkChallenge({ attestationChallenge }: KeyDescription, clientDataHash: Uint8Array): SubCheck {
  const requirement: Requirement = {
    slug: 'attestation-challenge',
    reference: REFERENCE,
    expected: `attestationChallenge ${showBytes(clientDataHash)}, the hash of the client data`,
    hint: 'The key was attested for other client data.',
  };
  return judge(requirement, equalBytes(attestationChallenge, clientDataHash), showBytes(attestationChallenge));
}

function checkAllApplications({ softwareEnforced, teeEnforced }: KeyDescription): SubCheck {
  const requirement: Requirement = {
    slug: 'all-applications',
    reference: REFERENCE,
    expected: 'allApplications in neither authorization list',
    hint: 'A credential is bound to its RP ID; this key may be used by every application.',
  };
  const where = [softwareEnforced.allApplications && 'softwareEnforced', teeEnforced.allApplications && 'teeEnforced'].filter(Boolean);
  return judge(requirement, where.length === 0, where.length === 0 ? 'absent' : `present in ${where.join(' and ')}`);
}

/**
 * Tells whether neither authorization list contains an origin or a purpose. Read strictly, §8.4 refuses such lists, but the standard's own
 * test vector (§16) contains them. Android key stores always write both, so no chain to an Android root certifies such lists.
 */
function statesNothing({ softwareEnforced, teeEnforced }: KeyDescription): boolean {
  return [softwareEnforced, teeEnforced].every(({ origin, purpose }) => origin === undefined && purpose === undefined);
}

function checkOrigin(description: KeyDescription): SubCheck {
  const { softwareEnforced, teeEnforced } = description;
  const requirement: Requirement = {
    slug: 'key-origin',
    reference: REFERENCE,
    expected: 'origin KM_ORIGIN_GENERATED (0) in either authorization list',
    hint: 'The key must have been made inside the key store: an imported key may have copies elsewhere.',
  };
  const origins = [teeEnforced, softwareEnforced].flatMap(({ origin }) => origin ?? []);
  if (origins.length === 0) {
    return decide(requirement, statesNothing(description) ? 'warn' : 'fail', 'no origin');
  }
  const shown = origins.map((origin) => `${KEY_ORIGINS[origin] ?? 'unknown'} (${origin})`).join(', ');
  return judge(
    requirement,
    origins.every((origin) => origin === GENERATED),
    shown,
  );
}

/**
 * Checks the purposes of the key. The standard says that the purpose "equals" signing, but a key has a set of purposes. If the key may also
 * verify, the check only warns, since that is harmless. Any other additional purpose fails.
 */
function checkPurpose(description: KeyDescription): SubCheck {
  const { softwareEnforced, teeEnforced } = description;
  const requirement: Requirement = {
    slug: 'key-purpose',
    reference: REFERENCE,
    expected: 'purpose KM_PURPOSE_SIGN (2) in either authorization list',
    hint: 'A credential key may only be used for signing.',
  };
  const purposes = [teeEnforced, softwareEnforced].flatMap(({ purpose }) => purpose ?? []);
  if (purposes.length === 0) {
    return decide(requirement, statesNothing(description) ? 'warn' : 'fail', 'no purpose');
  }
  const shown = purposes.map((purpose) => `${KEY_PURPOSES[purpose] ?? 'unknown'} (${purpose})`).join(', ');
  if (!purposes.includes(SIGN)) {
    return judge(requirement, false, shown);
  }
  const others = purposes.filter((purpose) => purpose !== SIGN);
  return decide(requirement, others.length === 0 ? 'pass' : others.every((purpose) => purpose === VERIFY) ? 'warn' : 'fail', shown);
}
