import * as Type from 'typebox';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { ATTESTATION_CONVEYANCES, REQUIREMENT_LEVELS } from '../../webauthn/enumerations.js';
import { BASE64_FORMAT, HTTP_URL_FORMAT, STORABLE_FORMAT } from '../validation.js';

/** Makes the schema of a string that every store can keep. Every string that is written to a store must have this schema. */
export const Text = (
  options: { readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string; readonly description?: string } = {},
) => Type.String({ format: STORABLE_FORMAT, ...options });

/**
 * Makes the schema of a string that every store can keep, or null. It is one schema with two types, so that a wrong value is reported only
 * once.
 */
export const nullable = (options: { readonly maxLength?: number; readonly format?: string; readonly description?: string } = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: STORABLE_FORMAT, ...options });

export const Base64 = (description: string) =>
  Type.String({ format: BASE64_FORMAT, description: `${description}: base64url or base64, padded or not.` });

export const NullableBase64 = (description: string) =>
  nullable({ format: BASE64_FORMAT, description: `${description}: base64url or base64, padded or not; or null.` });

/** Makes the schema of bytes in base64url, the encoding that the server sends. */
export const Base64url = (description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]*$', description: `${description}: base64url without padding.` });

export const AppName = Text({
  minLength: 1,
  maxLength: MAX_TEXT_LENGTH,
  description: 'Name of the application; becomes `rp.name`.',
});

export const AppUrl = Type.String({
  format: HTTP_URL_FORMAT,
  maxLength: 2048,
  description: 'Absolute http(s) URL of the application. Its host becomes `rp.id`, its origin the expected one.',
});

/** Schema of extension inputs or outputs by identifier. It does not check their values. */
export const Extensions = Type.Record(Type.String(), Type.Unknown());

export const RequirementLevel = Type.Enum([...REQUIREMENT_LEVELS]);
export const AttestationConveyance = Type.Enum([...ATTESTATION_CONVEYANCES]);
