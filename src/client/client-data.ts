import type { JsonObject } from '../kernel/json-value.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import { encodeClientData } from '../webauthn/client-data.js';
import type { Platform } from './platform.js';

/** Members of CollectedClientData that differ from ceremony to ceremony (§5.8.1). */
interface Collected {
  readonly type: 'webauthn.create' | 'webauthn.get' | 'payment.get';
  readonly challenge: Uint8Array;
  /** Payment data, CollectedClientAdditionalPaymentData. */
  readonly payment?: JsonObject | undefined;
}

/**
 * Serializes the client data. Adds the package name of an Android app. If `extraData` is given, adds it as an example of a member that a
 * later standard could define.
 */
export function collectClientData({ caller, extraData }: Platform, { type, challenge, payment }: Collected): Uint8Array {
  const { origin, crossOrigin, topOrigin, androidPackageName } = caller;
  const extra = payment || androidPackageName || extraData ? { payment, androidPackageName, extraData } : undefined;
  return encodeClientData({ type, challenge: encodeBase64url(challenge), origin, crossOrigin, topOrigin, extra });
}
