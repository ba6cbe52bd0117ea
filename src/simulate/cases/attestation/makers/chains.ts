import type { AttestationKey } from '../../../../authenticator/attestation/attestation-key.js';
import { once } from '../../../../kernel/remember.js';
import { EXTENSION } from '../../../../webauthn/certificate-extensions.js';
import { WRITE_EXTENSION } from '../../../../webauthn/certificate-writer.js';
import {
  AUTHORITY,
  type CertificateEdit,
  FORGER,
  issuerBelow,
  NAMESAKE,
  type StatementChange,
  withExtension,
  withFields,
  withoutExtension,
} from './certified.js';

/** A function that returns the issuer of an attestation certificate, and the CA certificates to send in `x5c`. */

type Issued = NonNullable<StatementChange['issued']>;

/** A validity period that ended long ago. The next constant is one that starts in the far future. */
export const LONG_AGO = { notBefore: Date.UTC(2020, 0, 1), notAfter: Date.UTC(2020, 6, 1) };
export const FAR_AHEAD = { notBefore: Date.UTC(2049, 0, 1), notAfter: Date.UTC(2049, 6, 1) };

// Valid ones.

const NAME = 'passkey TEST attestation, intermediate';
const intermediate = once(() => issuerBelow(AUTHORITY.rootIssuer, NAME));

export const byIntermediate: Issued = () => {
  const ca = intermediate();
  return { issuer: ca, path: [ca.certificate] };
};

export const withRoot: Issued = () => {
  const ca = intermediate();
  return { issuer: ca, path: [ca.certificate, AUTHORITY.root] };
};

export const byThreeIntermediates: Issued = () => {
  const first = intermediate();
  const second = issuerBelow(first, `${NAME} 2`);
  const third = issuerBelow(second, `${NAME} 3`);
  return { issuer: third, path: [third, second, first].map(({ certificate }) => certificate) };
};

/** Issues the attestation certificate from a CA that has the given key, which may use another algorithm. */
export function byCaWith(key: () => AttestationKey): Issued {
  return () => {
    const ca = issuerBelow(AUTHORITY.rootIssuer, `${NAME} of another algorithm`, { key: key() });
    return { issuer: ca, path: [ca.certificate] };
  };
}

// Roots that are not trusted.

export const byForger: Issued = () => ({ issuer: FORGER.rootIssuer, path: [] });
export const byForgerWithRoot: Issued = () => ({ issuer: FORGER.rootIssuer, path: [FORGER.root] });
export const byNamesake: Issued = () => ({ issuer: NAMESAKE.rootIssuer, path: [] });
export const byNamesakeWithRoot: Issued = () => ({ issuer: NAMESAKE.rootIssuer, path: [NAMESAKE.root] });
/** Sends a certificate that the trusted root did not issue, followed by the trusted root. */
export const byNamesakeBeforeTheRoot: Issued = () => ({ issuer: NAMESAKE.rootIssuer, path: [AUTHORITY.root] });
export const bySelf: Issued = (issuer) => ({ issuer, path: [] });

// Paths that break.

/** Issues the attestation certificate with an intermediate CA whose own certificate was changed before the root signed it. */
function byIntermediateThat(edit: CertificateEdit): Issued {
  return () => {
    const ca = issuerBelow(AUTHORITY.rootIssuer, NAME, { edit });
    return { issuer: ca, path: [ca.certificate] };
  };
}

export const intermediateMissing: Issued = () => ({ issuer: intermediate(), path: [] });
export const rootBeforeIntermediate: Issued = () => {
  const ca = intermediate();
  return { issuer: ca, path: [AUTHORITY.root, ca.certificate] };
};
export const byExpired: Issued = byIntermediateThat(withFields(LONG_AGO));
export const byNoCa: Issued = byIntermediateThat(withExtension(WRITE_EXTENSION.basicConstraints(false)));
export const withoutBasicConstraints: Issued = byIntermediateThat(withoutExtension(EXTENSION.basicConstraints));
export const withoutCertSign: Issued = byIntermediateThat(withExtension(WRITE_EXTENSION.keyUsage('digitalSignature', 'cRLSign')));

/** Issues the attestation certificate from a CA that is not allowed to exist, because the CA above it has a path length constraint of 0. */
export const pathTooLong: Issued = () => {
  const last = issuerBelow(AUTHORITY.rootIssuer, NAME, { edit: withExtension(WRITE_EXTENSION.basicConstraints(true, 0)) });
  const below = issuerBelow(last, `${NAME} too many`);
  return { issuer: below, path: [below.certificate, last.certificate] };
};

/** Sends the certificate of an honest intermediate CA, but signs the attestation certificate with another key. */
export const byOtherKeyOfIntermediate: Issued = () => {
  const { name, certificate } = intermediate();
  return { issuer: { key: FORGER.rootIssuer.key, name }, path: [certificate] };
};
