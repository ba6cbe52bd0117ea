import type { AuthenticatorModel, MetadataBlob } from '../relying-party/attestation/metadata-blob.js';
import { formatAaguid } from '../webauthn/aaguid.js';
import { decodeAttestationObject } from '../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { decodeCertificate } from '../webauthn/certificate.js';
import type { JsonObject } from '../webauthn/json-value.js';
import type { Observation } from './report/observation.js';
import { receiveRegistration } from './report/received.js';

/** DER of the roots that the metadata has for the authenticator of a registration; none without attestation, when its AAGUID is only claimed. */
export function metadataRoots(metadata: MetadataBlob | undefined, response: JsonObject): Uint8Array[] {
  const model = metadata && modelOf(response);
  return metadata === undefined || model === undefined || model.fmt === 'none' ? [] : metadata.rootsFor(model).map(({ bytes }) => bytes);
}

/** What the metadata says of the authenticator of a registration. */
export function observeMetadata(metadata: MetadataBlob | undefined, response: JsonObject): Observation[] {
  const model = metadata && modelOf(response);
  if (metadata === undefined || model === undefined) return [];
  const entry = metadata.find(model);
  const attested = model.attestationCertificates.length > 0;
  if (entry === undefined) {
    const isKnown = attested || !NO_AAGUID.test(model.aaguid);
    const message = `FIDO metadata does not list this authenticator (AAGUID ${model.aaguid}), so that it adds no roots and knows no status of it.`;
    return isKnown ? [{ slug: 'metadata-no-entry', message }] : [];
  }
  const name = entry.description === undefined ? 'a model without a description' : `"${entry.description}"`;
  const claimed = attested ? '' : ' No attestation certificate vouches for that.';
  return [
    { slug: 'metadata-entry', message: `FIDO metadata lists this authenticator as ${name}.${claimed}` },
    ...metadata.statusOf(model).map(({ status, message }) => ({ slug: `metadata-${status.toLowerCase().replaceAll('_', '-')}`, message })),
  ];
}

const NO_AAGUID = /^[0-]+$/;

interface NamedModel extends AuthenticatorModel {
  /** Attestation statement format. */
  readonly fmt: string;
}

/** Undefined where the registration cannot be read: the steps say why. */
function modelOf(response: JsonObject): NamedModel | undefined {
  try {
    const { attestationObject } = receiveRegistration(response).received.response;
    const { fmt, attStmt, authData, statements = [] } = decodeAttestationObject(decodeBase64(attestationObject)?.bytes ?? new Uint8Array());
    const aaguid = decodeAuthenticatorData(authData).attestedCredentialData?.aaguid;
    const chains = [attStmt, ...statements.map((statement) => statement.attStmt)].map((statement) => statement.get('x5c'));
    const ders = chains.flat().filter((der) => der instanceof Uint8Array);
    return aaguid && { fmt, aaguid: formatAaguid(aaguid), attestationCertificates: ders.map((der) => decodeCertificate(der)) };
  } catch {
    return undefined;
  }
}
