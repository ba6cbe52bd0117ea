import { decodeBase64url } from '../../../webauthn/base64url.js';
import type { Case } from '../../engine/case.js';
import { holdModel, listModels } from '../../engine/ceremony.js';
import { registrationCase } from '../../engine/ceremony-cases.js';
import type { Demands } from '../../engine/demands.js';
import { ACCEPTED, refused } from '../../engine/outcome.js';
import { INVALID_TAG } from '../../engine/scenario.js';
import { ANDROID_KEY } from './android-key.js';
import { ANDROID_KEY_DESCRIPTION } from './android-key-description.js';
import { APPLE } from './apple.js';
import { FIDO_U2F } from './fido-u2f.js';
import { COMPOUND, FORMATS, NONE } from './formats.js';
import { PACKED } from './packed.js';
import { PACKED_ACCEPTED } from './packed-accepted.js';
import { PACKED_CERTIFICATE } from './packed-certificate.js';
import { PACKED_PATH } from './packed-path.js';
import { PACKED_SELF } from './packed-self.js';
import { type AttestationRow, attestAnew, setAaguid } from './row.js';
import { SAFETYNET } from './safetynet.js';
import { TPM } from './tpm.js';
import { TPM_CERTIFICATE } from './tpm-certificate.js';
import { TPM_STRUCTURES } from './tpm-structures.js';

/**
 * Every attestation statement that is tested (§8). Refusing a format's invalid statements proves nothing unless its honest statement,
 * `register.<format>-honest`, is accepted.
 */
export const ATTESTATION_ROWS: readonly AttestationRow[] = [
  ...FORMATS,
  ...NONE,
  ...PACKED_SELF,
  ...PACKED,
  ...PACKED_PATH,
  ...PACKED_CERTIFICATE,
  ...PACKED_ACCEPTED,
  ...TPM,
  ...TPM_STRUCTURES,
  ...TPM_CERTIFICATE,
  ...ANDROID_KEY,
  ...ANDROID_KEY_DESCRIPTION,
  ...SAFETYNET,
  ...FIDO_U2F,
  ...APPLE,
  ...COMPOUND,
];

const ES256 = -7;

function readWants(row: AttestationRow): Demands {
  const {
    attestation = 'direct',
    algorithm = ES256,
    statementAlgorithm,
    format,
    needsTrust,
    onlyWithoutTrust,
    selfAttestation,
    expected,
  } = row;
  const asked = attestation !== 'none';
  const isCertified = format !== 'none' && selfAttestation !== true && (asked || expected === 'accepted');
  const trust = needsTrust ? { trust: true } : onlyWithoutTrust === true ? { trust: false } : {};
  return {
    attestation,
    algorithms: [algorithm, ...(statementAlgorithm === undefined ? [] : [statementAlgorithm])],
    // A statement that was not asked for is refused for what is wrong with it, or because its format is not accepted.
    ...((asked || expected === 'accepted') && { format }),
    ...(asked && selfAttestation === true && { selfAttestation }),
    ...(isCertified && { certificates: true }),
    ...trust,
  };
}

function toCase(row: AttestationRow): Case {
  const { id, title, rule, why, disputed, algorithm = ES256 } = row;
  return registrationCase({
    id,
    title,
    rule,
    why,
    ...(disputed !== undefined && { disputed }),
    tags: ['attestation', ...(row.expected === 'refused' ? [INVALID_TAG] : [])],
    wants: readWants(row),
    // The statement is replaced.
    browser: { authenticator: { algorithms: [algorithm], attestation: 'none' } },
    async rewrite({ context, honest, source }) {
      const [model] = listModels(context.driver.has);
      const ofModel = model === undefined ? row : { authenticatorData: setAaguid(model), ...row };
      const attested = await attestAnew(ofModel, honest, source, Date.now);
      holdModel(context, decodeBase64url(attested.response.authenticatorData ?? ''));
      return { ...attested };
    },
    expected: row.expected === 'accepted' ? ACCEPTED : refused(row.code, row.slug),
  });
}

/** A case for each attestation statement that is tested (§8). */
export const ATTESTED_CASES: readonly Case[] = ATTESTATION_ROWS.map(toCase);
