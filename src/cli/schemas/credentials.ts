import type { Static } from 'typebox';
import * as Type from 'typebox';
import { id, orNull, strict } from '../../kernel/schema-kit.js';
import { TestedStepSchema } from '../../simulate/engine/report.js';
import { CEREMONIES } from '../../webauthn/enumerations.js';
import { MAX_SIGN_COUNT } from '../../webauthn/limits.js';

const pattern = '^[A-Za-z0-9_-]*$';
const base64url = Type.String({ pattern, description: 'base64url without padding.' });

/** A credential without its secrets. */
const credentialRow = Type.Object(
  {
    id: base64url,
    rp_id: Type.String(),
    rp_name: Type.String(),
    user_handle: base64url,
    user_name: Type.String(),
    user_display_name: Type.String(),
    algorithm: Type.String({ description: 'Name of the algorithm, e.g. ES256.' }),
    discoverable: Type.Boolean(),
    sign_count: Type.Integer({ minimum: 0 }),
    backup_eligible: Type.Boolean(),
    backup_state: Type.Boolean(),
    hidden: Type.Boolean({ description: 'The relying party has signalled that it no longer knows it.' }),
  },
  strict,
);
export type CredentialRow = Static<typeof credentialRow>;

export const credentialList = Type.Array(credentialRow, { title: 'passkey credential list --json' });

export const credentialCreated = Type.Object(
  { credential: credentialRow, passkey_id: id, persona: orNull(Type.String()) },
  { ...strict, title: 'passkey credential create --json' },
);

export const credentialRemoval = Type.Object(
  { dry_run: Type.Boolean(), credentials: Type.Array(credentialRow) },
  { ...strict, title: 'passkey credential remove --json' },
);

export const credentialConversion = Type.Object(
  {
    from: Type.String(),
    to: Type.String({ description: 'The shape written, or "credentials file" with --add.' }),
    count: Type.Integer({ minimum: 0, description: 'Credentials written.' }),
    remarks: Type.Array(Type.Object({ credential_id: orNull(base64url), member: Type.String(), message: Type.String() }, strict), {
      description: 'What was assumed, left out or lost.',
    }),
    text: orNull(Type.String({ description: 'What was written, with private keys; null where it went to a file.' })),
    out: orNull(Type.String({ description: 'The file of --out, or with --add that of --credentials.' })),
  },
  { ...strict, title: 'passkey credential convert --json' },
);
export type CredentialConversion = Static<typeof credentialConversion>;

const mutation = Type.Object(
  {
    id: Type.String(),
    ceremony: Type.Enum(CEREMONIES),
    title: Type.String(),
    expected: Type.Enum(['refused', 'accepted'], { description: 'What a correct relying party does.' }),
    code: orNull(Type.String({ description: 'Error code of the API of passkey serve.' })),
    tests: orNull(TestedStepSchema),
    why: orNull(Type.String({ description: 'Why it matters, and what to change in a relying party that decides otherwise.' })),
    requires: Type.Array(Type.String(), { description: 'What the relying party must do for this to hold; empty: nothing special.' }),
    disputed: orNull(Type.String({ description: 'Why a correct relying party may decide otherwise.' })),
    signed_again: Type.Boolean({
      description: 'It takes the private key, or another authenticator: a software authenticator must answer.',
    }),
    in_browser: Type.Boolean({ description: 'POST /dev/tamper makes it to the response of any authenticator, without its private key.' }),
    asks: Type.Object(
      {
        options: Type.Object({}, { description: 'Members that the options must have.' }),
        login: orNull(Type.Enum(['named', 'discoverable'], { description: 'Whether request options must name the credential.' })),
        endpoint: Type.Enum(['login', 'verify'], { description: 'Of the API of passkey serve.' }),
        persona: orNull(Type.String({ description: 'Whose credential fits.' })),
        algorithms: orNull(Type.Array(Type.Integer(), { description: 'COSEAlgorithmIdentifiers, of which the credential has one.' })),
      },
      { ...strict, description: 'What the ceremony must be like for the change to fit.' },
    ),
  },
  { ...strict, description: 'A change that --tamper makes.' },
);
export type MutationRow = Static<typeof mutation>;

export const mutationList = Type.Array(mutation, {
  title: 'passkey credential answer --list-tampers --json, and the answer of GET /dev/mutations',
});

export const credentialAnswer = Type.Object(
  {
    ceremony: Type.Enum(CEREMONIES),
    response: Type.Object({}, { description: 'RegistrationResponseJSON or AuthenticationResponseJSON; with --tamper perhaps neither.' }),
    credential: credentialRow,
    persona: orNull(Type.String()),
    tamper: orNull(mutation),
    remarks: Type.Array(Type.String(), { description: 'What a browser or its page puts up with in the options.' }),
  },
  { ...strict, title: 'passkey credential answer --json, and the answer of POST /dev/answer' },
);
export type CredentialAnswer = Static<typeof credentialAnswer>;

const source = Type.Object(
  {
    type: Type.Literal('public-key'),
    id: base64url,
    rpId: Type.String({ minLength: 1 }),
    rpName: Type.String(),
    user: Type.Object({ id: base64url, name: Type.String(), displayName: Type.String() }, strict),
    algorithm: Type.Integer({ description: 'COSEAlgorithmIdentifier.' }),
    privateKey: Type.String({ pattern, description: 'Secret: PKCS#8 (RFC 5958) in DER, base64url.' }),
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
  { ...strict, title: 'The private side of credentials: the file of --credentials, and the shape json of passkey credential convert' },
);
