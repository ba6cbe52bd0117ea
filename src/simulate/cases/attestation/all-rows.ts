import { ANDROID_KEY } from './android-key.js';
import { ANDROID_KEY_DESCRIPTION } from './android-key-description.js';
import { APPLE } from './apple.js';
import { COMPOUND } from './compound.js';
import { FIDO_U2F } from './fido-u2f.js';
import { FORMATS, NONE } from './formats.js';
import { PACKED } from './packed.js';
import { PACKED_ACCEPTED } from './packed-accepted.js';
import { PACKED_CERTIFICATE } from './packed-certificate.js';
import { PACKED_PATH } from './packed-path.js';
import { PACKED_SELF } from './packed-self.js';
import type { AttestationRow } from './row.js';
import { SAFETYNET } from './safetynet.js';
import { TPM } from './tpm.js';
import { TPM_CERTIFICATE } from './tpm-certificate.js';
import { TPM_STRUCTURES } from './tpm-structures.js';

/**
 * Every case of §8. The refused rows of a format prove nothing unless its honest statement, `register.<format>-honest`, is accepted.
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
