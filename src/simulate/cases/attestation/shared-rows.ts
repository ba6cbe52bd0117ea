import { WRITE_EXTENSION } from '../../../webauthn/certificate-writer.js';
import { AAGUID_BYTES } from '../../../webauthn/limits.js';
import type { Rows } from '../../engine/case.js';
import { flipBit } from '../../engine/edits.js';
import {
  editMember,
  otherClientData,
  otherCounter,
  type StatementChange,
  strangeKey,
  withExtension,
  withFields,
  withMember,
  withoutAuthenticatorData,
  withoutClientDataHash,
  withoutMember,
} from './makers/certified.js';
import { type RefusedRow, refused, type StatementMaker } from './row.js';

export const OTHER_AAGUID = new Uint8Array(AAGUID_BYTES).fill(0x11);

export type Make = (change: StatementChange) => StatementMaker;
type Described = Pick<RefusedRow, 'title' | 'why' | 'make'>;

/** Faults that several statement formats share. Each key is the last part of a case id. */
const FAULTS = {
  signature: {
    title: 'one bit of the signature flipped',
    why: 'Certificates are public: without this check anyone attests in the vendor’s name.',
    change: { members: editMember('sig', flipBit(-1)) },
  },
  'other-client-data': {
    title: 'a statement about other client data',
    why: 'A statement recorded elsewhere could be replayed here.',
    change: { about: otherClientData },
  },
  'other-authenticator-data': {
    title: 'a statement about authenticator data with a different counter',
    why: 'If the statement does not cover the authenticator data, flags and counter can be changed in transit.',
    change: { about: otherCounter },
  },
  'without-client-data': {
    title: 'a signature over the authenticator data only',
    why: 'Nothing binds the statement to the challenge.',
    change: { signs: withoutClientDataHash },
  },
  'without-authenticator-data': {
    title: 'a signature over the hash of the client data only',
    why: 'Nothing binds the statement to the credential.',
    change: { signs: withoutAuthenticatorData },
  },
  'signed-by-stranger': {
    title: 'an honest certificate, but a signature by another key',
    why: 'Certificates are public: without this check anyone attests in the vendor’s name.',
    change: { signer: strangeKey },
  },
  'public-key': {
    title: 'a certificate for a key other than the credential key',
    why: 'The vendor vouches for one key while the credential is another, which anyone may hold.',
    change: { key: strangeKey },
  },
  'x5c-emptied': {
    title: 'a statement with an empty x5c',
    why: 'A loop over an empty list finds nothing wrong.',
    change: { members: withMember('x5c', []) },
  },
} satisfies Readonly<Record<string, { readonly title: string; readonly why: string; readonly change: StatementChange }>>;

export function faults(make: Make, ...ids: readonly (keyof typeof FAULTS)[]): Rows<Described> {
  const rows = ids.map((id) => {
    const { change, ...described } = FAULTS[id];
    return [id, { ...described, make: make(change) }];
  });
  return Object.fromEntries(rows);
}

/** Makes statements that each lack one member. Each key of `members` is the last part of a case id. */
export function incomplete(make: Make, members: Readonly<Record<string, string>>): Rows<Described> {
  const rows = Object.entries(members).map(([id, member]) => {
    const why = 'A server that verifies only members that are present accepts a statement without proof.';
    return [`without-${id}`, { title: `a statement without ${member}`, why, make: make({ members: withoutMember(member) }) }];
  });
  return Object.fromEntries(rows);
}

/** Prefixes the ids and titles of rows, to tell variants of one statement format apart. */
export function named<Row extends Described>(prefix: string, what: string, rows: Rows<Row>): Rows<Row> {
  return Object.fromEntries(Object.entries(rows).map(([id, row]) => [`${prefix}-${id}`, { ...row, title: `${what}: ${row.title}` }]));
}

/** Makes rows for certificate faults that both §8.2.1 and §8.3.1 forbid. */
export function certificateFaults(format: 'packed' | 'tpm', make: Make): readonly RefusedRow[] {
  const section = format === 'packed' ? '§8.2.1' : '§8.3.1';
  return refused(format, {
    'certificate-version-1': {
      title: 'an attestation certificate of version 1',
      rule: `${section}: version is 3`,
      why: 'Version 1 has no extensions, so the certificate cannot restrict what the key is for.',
      check: 'certificate-version',
      ...(format === 'tpm' && { also: ['certificate-extended-key-usage', 'certificate-subject-alt-name'] }),
      make: make({ leaf: withFields({ version: 1, extensions: [] }) }),
    },
    'certificate-version-2': {
      title: 'an attestation certificate of version 2 with the extensions of version 3',
      rule: `${section}: version is 3; RFC 5280 §4.1.2.9: only version 3 has extensions`,
      why: 'Version 3 is encoded as 2; it is easy to accept version 2 by mistake.',
      check: 'certificates',
      make: make({ leaf: withFields({ version: 2 }) }),
    },
    'certificate-of-ca': {
      title: 'an attestation certificate that is a CA by its basic constraints',
      rule: `${section}: basic constraints with CA set to false`,
      why: 'An attestation key that may issue certificates can attest as any model.',
      check: 'certificate-basic-constraints',
      make: make({ leaf: withExtension(WRITE_EXTENSION.basicConstraints(true)) }),
    },
    'aaguid-of-other-model': {
      title: 'a certificate for a different model than the AAGUID in the authenticator data',
      rule: '§8.2, §8.3: id-fido-gen-ce-aaguid, where it is present, equals the AAGUID of the authenticator data',
      why: 'A cheap authenticator passes for the certified model that a policy requires.',
      check: 'certificate-aaguid',
      make: make({ leaf: withExtension(WRITE_EXTENSION.aaguid(OTHER_AAGUID)) }),
    },
    'aaguid-critical': {
      title: 'the extension with the AAGUID marked critical',
      rule: '§8.2.1: id-fido-gen-ce-aaguid is not marked critical',
      why: 'A server that does not know the extension would have to refuse the certificate.',
      check: 'certificate-aaguid-not-critical',
      also: ['chain-critical-extensions'],
      ...(format === 'tpm' && { disputed: '§8.3.1 does not mention this; the rule is written for packed.' }),
      onlyWithoutTrust: true,
      make: make({ leaf: (fields, { aaguid }) => withExtension(WRITE_EXTENSION.aaguid(aaguid, true))(fields) }),
    },
  });
}
