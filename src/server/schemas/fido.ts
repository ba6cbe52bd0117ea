import * as Type from 'typebox';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { AssertionBody, RegisterBody } from './ceremony.js';
import { AttestationConveyance, Extensions, RequirementLevel, Text } from './text.js';

/** Bodies of the FIDO server API: the "Transport Binding Profile" of FIDO's server requirements. */

/** The conformance documents allow base64url only; the API also takes base64. */
const Base64url = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });
/** Their example sends an empty text where the authenticator gave no user handle. */
const UserHandle = Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: '^[A-Za-z0-9_-]*$' });

export const AttestationOptionsBody = Type.Object({
  username: Text({ minLength: 1, maxLength: MAX_TEXT_LENGTH }),
  displayName: Text({ minLength: 1, maxLength: MAX_TEXT_LENGTH }),
  authenticatorSelection: Type.Optional(
    Type.Object({
      authenticatorAttachment: Type.Optional(Type.String()),
      residentKey: Type.Optional(Type.String()),
      requireResidentKey: Type.Optional(Type.Boolean()),
      userVerification: Type.Optional(RequirementLevel),
    }),
  ),
  attestation: Type.Optional(AttestationConveyance),
  extensions: Type.Optional(Extensions),
});

export const AssertionOptionsBody = Type.Object({
  username: Type.Optional(Text({ maxLength: MAX_TEXT_LENGTH })),
  userVerification: Type.Optional(RequirementLevel),
  extensions: Type.Optional(Extensions),
});

/** ServerPublicKeyCredential; it has no `rawId`, but browsers and the tools send one. */
const credential = { id: Base64url, rawId: Type.Optional(Base64url), getClientExtensionResults: Type.Optional(Extensions) };
const { label: _label, ...registration } = RegisterBody.properties;

export const AttestationResultBody = Type.Object({
  ...registration,
  ...credential,
  response: Type.Object({ ...registration.response.properties, clientDataJSON: Base64url, attestationObject: Base64url }),
});

export const AssertionResultBody = Type.Object({
  ...AssertionBody.properties,
  ...credential,
  response: Type.Object({
    clientDataJSON: Base64url,
    authenticatorData: Base64url,
    signature: Base64url,
    userHandle: Type.Optional(UserHandle),
  }),
});
