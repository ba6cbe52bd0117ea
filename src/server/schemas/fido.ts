import * as Type from 'typebox';
import { ATTESTATION_CONVEYANCES, REQUIREMENT_LEVELS } from '../../webauthn/enumerations.js';
import { MAX_TEXT_LENGTH } from '../../webauthn/limits.js';
import { AssertionBody, RegisterBody } from './ceremony.js';

/** Bodies of the FIDO server API: the "Transport Binding Profile" of FIDO's server requirements. */

/** The conformance documents know base64url, and nothing else, where the API takes base64 as well. */
const Base64url = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });
/** Their example sends an empty text where the authenticator gave no user handle. */
const UserHandle = Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: '^[A-Za-z0-9_-]*$' });

const Extensions = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const UserVerification = Type.Enum([...REQUIREMENT_LEVELS]);

export const AttestationOptionsBody = Type.Object({
  username: Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH }),
  displayName: Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH }),
  authenticatorSelection: Type.Optional(
    Type.Object({
      authenticatorAttachment: Type.Optional(Type.String()),
      residentKey: Type.Optional(Type.String()),
      requireResidentKey: Type.Optional(Type.Boolean()),
      userVerification: Type.Optional(UserVerification),
    }),
  ),
  attestation: Type.Optional(Type.Enum([...ATTESTATION_CONVEYANCES])),
  extensions: Extensions,
});

export const AssertionOptionsBody = Type.Object({
  username: Type.Optional(Type.String({ maxLength: MAX_TEXT_LENGTH })),
  userVerification: Type.Optional(UserVerification),
  extensions: Extensions,
});

/** ServerPublicKeyCredential; it has no `rawId`, but browsers and the tools send one. */
const credential = { id: Base64url, rawId: Type.Optional(Base64url), getClientExtensionResults: Extensions };
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
