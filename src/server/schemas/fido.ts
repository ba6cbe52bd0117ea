import * as Type from 'typebox';
import { AssertionBody, RegisterBody } from './ceremony.js';

/** Bodies of the FIDO server API: the "Transport Binding Profile" of FIDO's server requirements. */

/** The conformance tests expect base64url, and nothing else, where the API takes base64 as well. */
const Base64urlId = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });

const Extensions = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const UserVerification = Type.Union([Type.Literal('required'), Type.Literal('preferred'), Type.Literal('discouraged')]);

export const AttestationOptionsBody = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 255 }),
  displayName: Type.String({ minLength: 1, maxLength: 255 }),
  authenticatorSelection: Type.Optional(
    Type.Object({
      authenticatorAttachment: Type.Optional(Type.String()),
      residentKey: Type.Optional(Type.String()),
      requireResidentKey: Type.Optional(Type.Boolean()),
      userVerification: Type.Optional(UserVerification),
    }),
  ),
  attestation: Type.Optional(
    Type.Union([Type.Literal('none'), Type.Literal('indirect'), Type.Literal('direct'), Type.Literal('enterprise')]),
  ),
  extensions: Extensions,
});

export const AssertionOptionsBody = Type.Object({
  username: Type.Optional(Type.String({ maxLength: 255 })),
  userVerification: Type.Optional(UserVerification),
  extensions: Extensions,
});

const ids = { id: Base64urlId, rawId: Base64urlId, getClientExtensionResults: Extensions };
const { label: _label, ...registration } = RegisterBody.properties;

export const AttestationResultBody = Type.Object({ ...registration, ...ids });
export const AssertionResultBody = Type.Object({ ...AssertionBody.properties, ...ids });
