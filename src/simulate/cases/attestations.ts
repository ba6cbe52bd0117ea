import type { AttestationObject } from '../../webauthn/attestation-object.js';
import type { CborValue } from '../../webauthn/cbor.js';
import type { Case } from '../engine/case.js';
import { registrationCase } from '../engine/ceremony-cases.js';
import { appendByte, flipBit } from '../engine/edits.js';
import { refused } from '../engine/outcome.js';

const FORMATS = ['packed-x5c', 'tpm', 'android-key', 'android-safetynet', 'apple', 'fido-u2f', 'compound'] as const;

/**
 * A valid registration in every attestation format that has certificates. The target must trust the root that `passkey attestation-root`
 * prints.
 */
export const ATTESTATION_CASES: readonly Case[] = FORMATS.map((attestation) =>
  registrationCase({
    id: `register.attested-${attestation}`,
    title: `${attestation} attestation that leads to the test root`,
    why: 'The statement is genuine, and its certificates lead to a configured root. A server that refuses it refuses every authenticator of that kind. Check how it verifies the certificate path first.',
    tags: ['attestation'],
    wants: { attestation: 'direct', trust: true, format: attestation === 'packed-x5c' ? 'packed' : attestation },
    browser: { authenticator: { attestation } },
  }),
);

const PACKED = { authenticator: { attestation: 'packed' } } as const;
const DIRECT = { attestation: 'direct', format: 'packed' } as const;
const SELF = { ...DIRECT, selfAttestation: true } as const;
const NONE = { authenticator: { attestation: 'none' } } as const;
const CERTIFIED = 'Anyone can make such a statement in software, and it says nothing about the authenticator.';

function setStatement(object: AttestationObject, member: string, value: CborValue) {
  return { ...object, attStmt: new Map([...object.attStmt, [member, value]]) };
}

export const INVALID_ATTESTATIONS: readonly Case[] = [
  registrationCase({
    id: 'register.attestation-object-trailing-byte',
    title: 'a byte after the attestation object',
    why: 'Bytes that no parser reads can hide something, and two parsers may disagree about them. Refuse a response with bytes after the attestation object.',
    edits: { attestationObject: appendByte(0) },
    expected: refused('attestation_malformed', 'attestation-object'),
  }),
  registrationCase({
    id: 'register.attestation-statement-not-empty',
    title: 'format none with a statement',
    wants: { format: 'none' },
    browser: NONE,
    why: 'With the format none, the statement must be an empty map (§8.7). Anything in it was never verified.',
    edits: { attestation: (object) => ({ ...object, attStmt: new Map([['alg', -7]]) }) },
    expected: refused('attestation_malformed', 'attestation-statement'),
  }),
  registrationCase({
    id: 'register.attestation-format-unknown',
    title: 'an unregistered attestation format',
    why: 'You cannot accept a statement that you cannot verify. Refuse an unknown format instead of treating it as none (§7.1 step 22).',
    edits: { attestation: (object) => ({ ...object, fmt: 'nome' }) },
    expected: refused('attestation_format_unsupported', 'attestation-format'),
  }),
  registrationCase({
    id: 'register.attestation-signature',
    title: 'packed self attestation with one bit of the signature flipped',
    why: 'A statement whose signature is not checked proves nothing. Verify sig over the authenticator data and the client data hash (§8.2).',
    wants: SELF,
    browser: PACKED,
    edits: {
      attestation: (object) => {
        const sig = object.attStmt.get('sig');
        return setStatement(object, 'sig', sig instanceof Uint8Array ? flipBit(-1)(sig) : undefined);
      },
    },
    expected: refused('attestation_malformed', 'attestation-statement'),
  }),
  registrationCase({
    id: 'register.attestation-algorithm',
    title: 'packed self attestation whose alg differs from the algorithm of the key',
    why: 'Self attestation is signed with the credential key, so alg must be the algorithm of that key (§8.2). Otherwise two parts of your server use two algorithms for one key.',
    wants: { ...SELF, algorithms: [-7, -35] },
    browser: PACKED,
    edits: { attestation: (object) => setStatement(object, 'alg', -35) },
    expected: refused('attestation_malformed', 'attestation-statement'),
  }),
  registrationCase({
    id: 'register.attestation-none-with-roots',
    title: 'no attestation although roots are configured',
    wants: { attestation: 'direct', trust: true },
    browser: NONE,
    disputed: 'A server that requests attestation may accept passkeys without any (§5.4.7: it is a preference).',
    why: `A policy that requires certified authenticators is useless if format none satisfies it. ${CERTIFIED} If your policy requires a trusted root, refuse statements that lead to none.`,
    expected: refused('attestation_untrusted', 'attestation-trust'),
  }),
  registrationCase({
    id: 'register.attestation-untrusted',
    title: 'self attestation although the policy refuses it',
    wants: { ...DIRECT, trust: true, selfAttestation: false },
    browser: PACKED,
    why: `A policy that requires certified authenticators is useless if self attestation satisfies it. ${CERTIFIED} Assess the trust of self attestation too (§7.1, attestation trust).`,
    expected: refused('attestation_untrusted', 'attestation-trust'),
  }),
];
