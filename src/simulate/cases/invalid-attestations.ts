import { appendByte, flipBit } from './byte-edits.js';
import { type Case, refused } from './case.js';
import { FOREIGN_ROOT } from './foreign-root.js';
import { registrationCase } from './registration-case.js';

const PACKED = { authenticator: { attestation: 'packed' } } as const;
const DIRECT = { policy: { attestation: 'direct' } } as const;
const WITH_ROOTS = { policy: { attestation: 'direct', attestationRoots: [FOREIGN_ROOT] } } as const;

export const INVALID_ATTESTATIONS: readonly Case[] = [
  registrationCase({
    id: 'register.attestation-object-cut',
    title: 'an attestation object that ends early',
    edits: { attestationObject: (bytes) => bytes.slice(0, -1) },
    expected: refused('attestation_malformed', 'attestation-object'),
  }),
  registrationCase({
    id: 'register.attestation-object-trailing-byte',
    title: 'a byte after the attestation object',
    edits: { attestationObject: appendByte(0) },
    expected: refused('attestation_malformed', 'attestation-object'),
  }),
  registrationCase({
    id: 'register.attestation-statement-not-empty',
    title: 'format none with a statement',
    edits: { attestation: (object) => ({ ...object, attStmt: new Map([['alg', -7]]) }) },
    expected: refused('attestation_malformed', 'attestation-statement'),
  }),
  registrationCase({
    id: 'register.attestation-format-unknown',
    title: 'an attestation format that nobody registered',
    edits: { attestation: (object) => ({ ...object, fmt: 'nome' }) },
    expected: refused('attestation_format_unsupported', 'attestation-format'),
  }),
  registrationCase({
    id: 'register.attestation-signature',
    title: 'packed self attestation with one bit of the signature turned',
    room: DIRECT,
    actor: PACKED,
    edits: {
      attestation: (object) => {
        const sig = object.attStmt.get('sig');
        return { ...object, attStmt: new Map([...object.attStmt, ['sig', sig instanceof Uint8Array ? flipBit(-1)(sig) : undefined]]) };
      },
    },
    expected: refused('attestation_malformed', 'attestation-statement'),
  }),
  registrationCase({
    id: 'register.attestation-algorithm',
    title: 'packed self attestation that names another algorithm than the key has',
    room: { policy: { attestation: 'direct', algorithms: [-7, -35] } },
    actor: PACKED,
    edits: { attestation: (object) => ({ ...object, attStmt: new Map([...object.attStmt, ['alg', -35]]) }) },
    expected: refused('attestation_malformed', 'attestation-statement'),
  }),
  registrationCase({
    id: 'register.attestation-none-with-roots',
    title: 'no attestation, where roots are configured',
    room: WITH_ROOTS,
    expected: refused('attestation_untrusted', 'attestation-trust'),
  }),
  registrationCase({
    id: 'register.attestation-untrusted',
    title: 'self attestation, where roots are configured',
    room: WITH_ROOTS,
    actor: PACKED,
    expected: refused('attestation_untrusted', 'attestation-trust'),
  }),
];
