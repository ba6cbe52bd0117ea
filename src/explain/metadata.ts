import { MAX_CHAIN_CERTIFICATES, MAX_COMPOUND_STATEMENTS } from '../kernel/limits.js';
import type { AuthenticatorModel, MetadataBlob } from '../relying-party/attestation/metadata-blob.js';
import { formatAaguid } from '../webauthn/aaguid.js';
import { readCertificates } from '../webauthn/attestation-object.js';
import { decodeCertificate } from '../webauthn/certificate.js';
import type { ReadCredential } from './annotate/read-credential.js';
import type { Observation } from './report/observations.js';

/** The part of the FIDO metadata that is about the authenticator of one registration. */
interface ModelMetadata {
  /** Root certificates in DER. Empty for a registration without attestation, since its AAGUID is only a claim. */
  readonly roots: readonly Uint8Array[];
  readonly observations: readonly Observation[];
}

/**
 * Finds the metadata about the authenticator of a registration. Returns undefined if the registration cannot be read; one of the steps
 * reports that.
 */
export function lookUp(metadata: MetadataBlob, credential: ReadCredential): ModelMetadata | undefined {
  const models = findModels(credential);
  const observations = new Map(models?.flatMap((model) => observe(metadata, model)).map((entry) => [entry.message, entry]));
  return (
    models && {
      roots: models.flatMap((model) => (model.fmt === 'none' ? [] : metadata.rootsFor(model).map(({ bytes }) => bytes))),
      observations: [...observations.values()],
    }
  );
}

const NO_AAGUID = /^[0-]+$/;

function observe(metadata: MetadataBlob, model: AuthenticatorModel): Observation[] {
  const entry = metadata.find(model);
  const attested = model.attestationCertificates.length > 0;
  if (entry === undefined) {
    const isKnown = attested || !NO_AAGUID.test(model.aaguid);
    const by = model.fmt === 'fido-u2f' ? 'by the key of its attestation certificate' : `AAGUID ${model.aaguid}`;
    const message = `FIDO metadata does not list this authenticator (${by}), so it adds no roots and reports no status.`;
    return isKnown ? [{ slug: 'metadata-no-entry', message }] : [];
  }
  const name = entry.description === undefined ? 'a model without a description' : `"${entry.description}"`;
  const claimed = attested ? '' : ' No attestation certificate confirms that.';
  return [
    { slug: 'metadata-entry', message: `FIDO metadata lists this authenticator as ${name}.${claimed}` },
    ...metadata.statusOf(model).map(({ status, message }) => ({ slug: `metadata-${status.toLowerCase().replaceAll('_', '-')}`, message })),
  ];
}

/**
 * Lists the authenticator models of a registration, one for each attestation statement. A compound attestation has several statements,
 * which are looked up separately because they are also verified separately.
 */
function findModels({ attestationObject: { decoded }, attestedData }: ReadCredential): readonly AuthenticatorModel[] | undefined {
  const aaguid = attestedData?.ok === true ? attestedData.value.attestedCredentialData?.aaguid : undefined;
  if (decoded?.ok !== true || aaguid === undefined) return undefined;
  const { statements = [decoded.value] } = decoded.value;
  try {
    return statements.slice(0, MAX_COMPOUND_STATEMENTS).map((statement) => {
      const ders = readCertificates(statement).slice(0, MAX_CHAIN_CERTIFICATES);
      return { fmt: statement.fmt, aaguid: formatAaguid(aaguid), attestationCertificates: ders.map((der) => decodeCertificate(der)) };
    });
  } catch {
    return undefined;
  }
}
