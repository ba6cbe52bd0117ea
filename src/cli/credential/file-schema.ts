import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';
import { MAX_SIGN_COUNT } from '../../webauthn/limits.js';
import { base64url, PATTERN } from '../credential-rows.js';

const source = Type.Object(
  {
    type: Type.Literal('public-key'),
    id: base64url,
    rpId: Type.String({ minLength: 1 }),
    rpName: Type.String(),
    user: Type.Object({ id: base64url, name: Type.String(), displayName: Type.String() }, strict),
    algorithm: Type.Integer({ description: 'COSEAlgorithmIdentifier.' }),
    privateKey: Type.String({ pattern: PATTERN, description: 'Secret: PKCS#8 (RFC 5958) in DER, base64url.' }),
    discoverable: Type.Boolean(),
    signCount: Type.Integer({ minimum: 0, maximum: MAX_SIGN_COUNT }),
    backupEligible: Type.Boolean(),
    backupState: Type.Boolean(),
    protection: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, description: 'credProtect level, CTAP 2.3 §12.1.' })),
    prf: Type.Optional(
      Type.Object(
        { withVerification: base64url, withoutVerification: base64url },
        { ...strict, description: 'Secret: the CredRandom of hmac-secret and prf, 32 bytes each.' },
      ),
    ),
    largeBlob: Type.Optional(base64url),
    credBlob: Type.Optional(base64url),
    hidden: Type.Optional(Type.Boolean()),
  },
  strict,
);

export const credentialsFile = Type.Object(
  { format: Type.Literal('passkey-credentials'), version: Type.Literal(1), credentials: Type.Array(source) },
  {
    ...strict,
    title: 'Private keys and other data of credentials: the file of --credentials, and the format json of passkey credential convert',
  },
);
