import * as Type from 'typebox';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { strict } from '../../kernel/schema-kit.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import { CHALLENGE_BYTES, MAX_CREDENTIAL_DESCRIPTORS } from '../../webauthn/limits.js';
import { AppName, AppUrl, AttestationConveyance, Base64, Base64url, NullableBase64, nullable, RequirementLevel, Text } from './text.js';

export const RegisterOptionsBody = Type.Object({ app_name: AppName, app_url: AppUrl });

const credential = {
  id: Base64('Credential ID'),
  rawId: Base64('Credential ID, the same bytes as `id`'),
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(nullable({ description: '`platform` or `cross-platform`, as browsers send it.' })),
  clientExtensionResults: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      description: 'Client extension outputs, as browsers send them.',
    }),
  ),
};

/** Body of a registration: the `PublicKeyCredential.toJSON()` of a credential from `create()`, and a label. Other members are ignored. */
export const RegisterBody = Type.Object({
  label: Type.Optional(
    nullable({
      maxLength: MAX_TEXT_LENGTH,
      description: "Label of the passkey. Default: the provider's name by AAGUID, otherwise `Passkey`.",
    }),
  ),
  ...credential,
  response: Type.Object({
    clientDataJSON: Base64('The client data'),
    attestationObject: Base64('The attestation object'),
    transports: Type.Optional(
      Type.Unsafe<string[] | null>({
        type: ['array', 'null'],
        items: Text(),
        description: '`getTransports()`, as browsers send it.',
      }),
    ),
  }),
});

export const VerifyOptionsBody = Type.Object({ credential_id: Base64('Credential ID of a stored passkey') });

/** Body of a login: the `PublicKeyCredential.toJSON()` of a credential from `get()`. Other members are ignored. */
export const AssertionBody = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: Base64('The client data'),
    authenticatorData: Base64('The authenticator data'),
    signature: Base64('The signature'),
    userHandle: Type.Optional(NullableBase64('The user handle')),
  }),
});

export const LoginOptionsBody = Type.Object({ app_url: Type.Optional(AppUrl) });

const Descriptor = Type.Object(
  {
    id: Base64url('Credential ID'),
    type: Type.Literal('public-key'),
    transports: Type.Optional(Type.Array(Type.String())),
  },
  strict,
);

const Timeout = Type.Integer({ description: 'Milliseconds.' });

/** The argument of `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export const CreationOptions = Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>(
  Type.Object(
    {
      challenge: Base64url(`${CHALLENGE_BYTES} random bytes`),
      rp: Type.Object({ name: Type.String(), id: Type.String() }, strict),
      user: Type.Object({ id: Base64url('User handle'), name: Type.String(), displayName: Type.String() }, strict),
      pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() }, strict)),
      timeout: Timeout,
      attestation: AttestationConveyance,
      authenticatorSelection: Type.Object({ residentKey: RequirementLevel, userVerification: RequirementLevel }, strict),
      excludeCredentials: Type.Optional(
        Type.Array(Descriptor, {
          maxItems: MAX_CREDENTIAL_DESCRIPTORS,
          description: 'Live passkeys that the user has for this `rp.id`, the last used first; absent when there are none.',
        }),
      ),
    },
    strict,
  ),
);

/** The argument of `PublicKeyCredential.parseRequestOptionsFromJSON()`, for one credential. */
export const VerifyOptions = Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>(
  Type.Object(
    {
      challenge: Base64url(`${CHALLENGE_BYTES} random bytes`),
      allowCredentials: Type.Array(Descriptor, { minItems: 1, maxItems: 1 }),
      timeout: Timeout,
      userVerification: RequirementLevel,
    },
    strict,
  ),
);

/** The argument of `PublicKeyCredential.parseRequestOptionsFromJSON()`, for a discoverable credential of the user's choice. */
export const LoginOptions = Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>(
  Type.Object(
    { challenge: Base64url(`${CHALLENGE_BYTES} random bytes`), rpId: Type.String(), timeout: Timeout, userVerification: RequirementLevel },
    strict,
  ),
);

export const VerifyReply = Type.Object(
  {
    passkeeable_id: Type.Integer({ description: 'Id of the owner.' }),
    passkeeable_type: Type.String({ description: 'Type name of the owner, e.g. `User`.' }),
    passkey: Type.Object({ id: Type.Integer() }, strict),
  },
  strict,
);
