import { describe, expect, test } from 'vitest';
import { ATTESTATION_ROWS } from '../../../../src/simulate/cases/attestation/attestation-cases.js';
import { FAULTS, type FaultId } from '../../../independent/faults.js';
import { quick, share } from '../../../thorough.js';
import { independentParty, outcomeAt } from './independent-party.js';

/**
 * The independent relying party shares no code with ours, and decides the same wherever the standard leaves no choice. A row on which
 * the two differ is a false alarm, or a fault in one of them.
 */
describe('the independent relying party decides as the row says', () => {
  const party = independentParty();

  test.each(
    share(
      ATTESTATION_ROWS.filter(({ disputed }) => disputed === undefined),
      4,
    ),
  )('$id', async (row) => {
    const { outcome, said } = await outcomeAt(party, row);
    expect({ outcome, said }).toEqual({ outcome: row.expected, said });
  });
});

/** A row, without `register.`, that tells each fault: the one server decides on it as it should, the other does not. */
const TOLD: Readonly<Partial<Record<FaultId, string>>> = {
  'unknown-format-accepted': 'format-capital',
  'format-case-folded': 'format-capital',
  'statement-unasked-unverified': 'packed-unasked-self-signature',
  'none-statement-not-empty': 'none-with-certificates',
  'trust-unassessed': 'packed-self-signed-certificate',
  'trust-by-name': 'packed-certificate-changed',
  'trust-in-sent-root': 'packed-root-smuggled-in',
  'trust-leaf-signature-unchecked': 'packed-certificate-changed',
  'chain-expired': 'packed-intermediate-expired',
  'chain-not-yet-valid': 'packed-certificate-not-yet-valid',
  'chain-issuer-not-ca': 'packed-issuer-no-ca',
  'chain-path-length': 'packed-path-too-long',
  'packed-signature-unchecked': 'packed-unasked-signature',
  'packed-signed-by-credential': 'packed-signed-by-credential',
  'packed-may-omit-client-data': 'packed-without-client-data',
  'packed-algorithm-ignored': 'packed-algorithm',
  'packed-empty-x5c': 'packed-empty-x5c',
  'packed-self-signature-unchecked': 'packed-self-signature',
  'packed-self-algorithm-unchecked': 'packed-self-algorithm',
  'packed-ecdaa-unverified': 'packed-ecdaa',
  'packed-certificate-version': 'packed-certificate-version-2',
  'packed-subject-country': 'packed-subject-without-country',
  'packed-subject-organization': 'packed-subject-without-organization',
  'packed-subject-unit': 'packed-subject-without-unit',
  'packed-subject-common-name': 'packed-subject-without-common-name',
  'packed-certificate-ca': 'packed-certificate-of-ca',
  'packed-aaguid-extension': 'packed-aaguid-of-other-model',
  'packed-aaguid-extension-critical': 'packed-aaguid-critical',
  'tpm-signature-unchecked': 'tpm-signature',
  'tpm-version-unchecked': 'tpm-version-1-2',
  'tpm-public-area-unchecked': 'tpm-public-key',
  'tpm-magic-unchecked': 'tpm-magic',
  'tpm-type-unchecked': 'tpm-type',
  'tpm-extra-data-unchecked': 'tpm-other-client-data',
  'tpm-name-unchecked': 'tpm-name',
  'tpm-certificate-version': 'tpm-certificate-version-2',
  'tpm-subject-unchecked': 'tpm-subject-not-empty',
  'tpm-san-unchecked': 'tpm-without-alt-name',
  'tpm-eku-unchecked': 'tpm-without-purpose',
  'tpm-certificate-ca': 'tpm-certificate-of-ca',
  'tpm-aaguid-extension': 'tpm-aaguid-of-other-model',
  'android-key-signature-unchecked': 'android-key-signature',
  'android-key-public-key-unchecked': 'android-key-public-key',
  'android-key-challenge-unchecked': 'android-key-challenge',
  'android-key-all-applications': 'android-key-all-applications',
  'android-key-all-applications-software': 'android-key-all-applications-by-software',
  'android-key-origin-unchecked': 'android-key-origin-imported',
  'android-key-purpose-unchecked': 'android-key-purpose-encryption',
  'safetynet-signature-unchecked': 'android-safetynet-signature',
  'safetynet-algorithm-none': 'android-safetynet-unsigned',
  'safetynet-nonce-unchecked': 'android-safetynet-other-client-data',
  'safetynet-cts-unchecked': 'android-safetynet-integrity',
  'safetynet-hostname-unchecked': 'android-safetynet-host',
  'apple-nonce-unchecked': 'apple-other-client-data',
  'apple-public-key-unchecked': 'apple-public-key',
  'u2f-signature-unchecked': 'fido-u2f-signature',
  'u2f-several-certificates': 'fido-u2f-two-certificates',
  'u2f-certificate-curve': 'fido-u2f-certificate-of-rsa',
  'u2f-may-omit-public-key': 'fido-u2f-without-public-key',
  'compound-one-statement': 'compound-of-one',
  'compound-nested': 'compound-nested',
  'compound-unverified': 'compound-honest',
  'rs256-refused': 'packed-self-rs256',
  'eddsa-refused': 'packed-self-eddsa',
  'aaguid-must-be-zero': 'none-with-aaguid',
  'statement-unasked-refused': 'packed-unasked-self',
  'packed-aaguid-extension-required': 'packed-without-aaguid-extension',
  'chain-with-root-refused': 'packed-with-root',
  'tpm-rs1-refused': 'tpm-of-rs1',
  'android-key-software-refused': 'android-key-of-software',
  'u2f-nonzero-aaguid-refused': 'fido-u2f-with-aaguid',
  'malformed-certificate-crashes': 'packed-certificate-cut',
};

describe('a fault of the independent relying party is told by a row', () => {
  quick.each(Object.entries(TOLD))('%s: %s', async (fault, id) => {
    const { id: known } = FAULTS.find((each) => each.id === fault) ?? {};
    const row = ATTESTATION_ROWS.find((each) => each.id === `register.${id}`);
    if (known === undefined || row === undefined) throw new Error(`Expected a fault ${fault} and a row ${id}.`);
    expect((await outcomeAt(independentParty(known), row)).outcome).not.toBe(row.expected);
  });

  quick('of §8, all but the age of a SafetyNet answer, which §8.5 does not limit', () => {
    const untold = FAULTS.filter(({ id, where }) => where.startsWith('§8') && !(id in TOLD));
    expect(untold.map(({ id }) => id)).toEqual(['safetynet-timestamp-unchecked']);
  });
});
