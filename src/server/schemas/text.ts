import * as Type from 'typebox';
import { MAX_TEXT_LENGTH } from '../../webauthn/limits.js';
import { BASE64_FORMAT, HTTP_URL_FORMAT } from '../validation.js';

/** A string or null: one schema of two types, so that a wrong value is one complaint. */
export const nullable = (options: { readonly maxLength?: number; readonly format?: string; readonly description?: string } = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

export const Base64 = (description: string) =>
  Type.String({ format: BASE64_FORMAT, description: `${description}: base64url or base64, padded or not.` });

export const NullableBase64 = (description: string) =>
  nullable({ format: BASE64_FORMAT, description: `${description}: base64url or base64, padded or not; or null.` });

/** What the server writes. */
export const Base64url = (description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]*$', description: `${description}: base64url without padding.` });

export const AppName = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT_LENGTH,
  description: 'Name of the application; becomes `rp.name`.',
});

export const AppUrl = Type.String({
  format: HTTP_URL_FORMAT,
  maxLength: 2048,
  description: 'Absolute http(s) URL of the application. Its host becomes `rp.id`, its origin the expected one.',
});

export const Timestamp = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$',
    description: `${description}, in UTC with six fraction digits.`,
  });
