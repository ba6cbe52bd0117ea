import { type AttestationKey } from '../../../../authenticator/attestation/attestation-key.js';
import { EXTENSION } from '../../../../webauthn/certificate-extensions.js';
import { WRITE_EXTENSION } from '../../../../webauthn/certificate-writer.js';
import { AUTHORITY, FORGER, issuerBelow, NAMESAKE, type StatementChange } from './certified.js';
import { type CertificateEdit, withExtension, withFields, withoutExtension } from './edits.js';

/** Who may have issued an attestation certificate, and what of that stands in `x5c`. */

type Issued = NonNullable<StatementChange['issued']>;

/** Half a year in which everything had run out long before any run, and one that begins after all of them. */
export const LONG_AGO = { notBefore: Date.UTC(2020, 0, 1), notAfter: Date.UTC(2020, 6, 1) };
export const FAR_AHEAD = { notBefore: Date.UTC(2049, 0, 1), notAfter: Date.UTC(2049, 6, 1) };

// Valid ones.

export const byIntermediate: Issued = () => {
  const ca = issuerBelow(AUTHORITY.rootIssuer, 'passkey TEST attestation, one intermediate');
  return { issuer: ca, path: [ca.certificate] };
};

export const withRoot: Issued = () => {
  const { issuer, path } = byIntermediate({ key: AUTHORITY.rootIssuer.key, name: [] });
  return { issuer, path: [...path, AUTHORITY.root] };
};

export const byThreeIntermediates: Issued = () => {
  const [first, second, third] = ladder(3);
  return { issuer: third, path: [third, second, first].map(({ certificate }) => certificate) };
};

function ladder(_: 3) {
  const first = issuerBelow(AUTHORITY.rootIssuer, 'passkey TEST attestation, intermediate 1');
  const second = issuerBelow(first, 'passkey TEST attestation, intermediate 2');
  return [first, second, issuerBelow(second, 'passkey TEST attestation, intermediate 3')] as const;
}

/** @param key of the CA, e.g. one of RSA */
export function byCaWith(key: AttestationKey): Issued {
  return () => {
    const ca = issuerBelow(AUTHORITY.rootIssuer, 'passkey TEST attestation, CA of another algorithm', { key });
    return { issuer: ca, path: [ca.certificate] };
  };
}

// Roots that nobody trusts.

export const byForger: Issued = () => ({ issuer: FORGER.rootIssuer, path: [] });
export const byForgerWithRoot: Issued = () => ({ issuer: FORGER.rootIssuer, path: [FORGER.root] });
export const byNamesake: Issued = () => ({ issuer: NAMESAKE.rootIssuer, path: [] });
export const byNamesakeWithRoot: Issued = () => ({ issuer: NAMESAKE.rootIssuer, path: [NAMESAKE.root] });
/** The trusted root stands behind a certificate that it has not issued. */
export const byForgerBeforeTheRoot: Issued = () => ({ issuer: FORGER.rootIssuer, path: [AUTHORITY.root] });
export const byNamesakeBeforeTheRoot: Issued = () => ({ issuer: NAMESAKE.rootIssuer, path: [AUTHORITY.root] });
export const bySelf: Issued = (issuer) => ({ issuer, path: [] });

// Paths that break.

/** An intermediate whose certificate is changed before the root signs it. */
function byIntermediateThat(edit: CertificateEdit): Issued {
  return () => {
    const ca = issuerBelow(AUTHORITY.rootIssuer, 'passkey TEST attestation, other intermediate', { edit });
    return { issuer: ca, path: [ca.certificate] };
  };
}

export const intermediateMissing: Issued = (own) => ({ ...byIntermediate(own), path: [] });
export const rootBeforeIntermediate: Issued = (own) => ({ ...withRoot(own), path: withRoot(own).path.toReversed() });
export const byExpired = byIntermediateThat(withFields(LONG_AGO));
export const byNoCa = byIntermediateThat(withExtension(WRITE_EXTENSION.basicConstraints(false)));
export const withoutBasicConstraints = byIntermediateThat(withoutExtension(EXTENSION.basicConstraints));
export const withoutCertSign = byIntermediateThat(withExtension(WRITE_EXTENSION.keyUsage('digitalSignature', 'cRLSign')));

/** The root names an intermediate that may issue no further CAs; it has issued one. */
export const pathTooLong: Issued = () => {
  const edit = withExtension(WRITE_EXTENSION.basicConstraints(true, 0));
  const last = issuerBelow(AUTHORITY.rootIssuer, 'passkey TEST attestation, last CA', { edit });
  const below = issuerBelow(last, 'passkey TEST attestation, one CA too many');
  return { issuer: below, path: [below.certificate, last.certificate] };
};

/** The certificate of the intermediate is honest; its key is not the one that signed. */
export const byOtherKeyOfIntermediate: Issued = (own) => {
  const { issuer, path } = byIntermediate(own);
  return { issuer: { key: FORGER.rootIssuer.key, name: issuer.name }, path };
};
