import * as Type from 'typebox';
import { PasskeyBody } from '../../relying-party/passkey-document.js';
import { MAX_TEXT_LENGTH } from '../../webauthn/limits.js';
import { strict } from '../../webauthn/schema-kit.js';
import { NOT_BLANK } from '../validation.js';

export const PasskeyReply = Type.Object({ passkey: PasskeyBody }, strict);

export const PasskeyList = Type.Array(PasskeyBody);

export const RenameBody = Type.Object({ label: Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, pattern: NOT_BLANK }) });

/** A string: what is no integer names no passkey, which is a 404 and not a 422. */
export const PasskeyParams = Type.Object({ id: Type.String({ description: 'Id of the passkey, an integer.' }) });

export function parsePasskeyId(text: string): number | undefined {
  const id = Number(text);
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(id) ? id : undefined;
}
