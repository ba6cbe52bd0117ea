import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { publicKeyHint } from '../../relying-party/diagnosis/public-key.js';
import { isObject } from '../../webauthn/annotate/json-value.js';
import { recognise } from '../../webauthn/annotate/recognise.js';
import type { Recognised } from '../../webauthn/annotate/recognised.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { encodeUtf8 } from '../../webauthn/bytes.js';

const EXPECTS = '--public-key expects a COSE key, or a registration that holds one, as text or file';

/** The COSE_Key of `--public-key`: in any encoding, or a file with it; the response or attestation object of a registration will do. */
export async function readPublicKey(raw: string, base: string): Promise<Uint8Array> {
  const file = await readFile(resolve(base, raw)).catch(() => undefined);
  const bytes = file ?? encodeUtf8(raw);
  let recognised: Recognised;
  try {
    recognised = recognise(bytes);
  } catch (cause) {
    const decoded = file ?? decodeBase64(raw.trim())?.bytes ?? bytes;
    const why = publicKeyHint(decoded, cause instanceof Error ? cause.message : String(cause));
    throw new PasskeyError('usage', `${EXPECTS}. ${why}`, { cause });
  }
  const key = keyOf(recognised);
  if (key === undefined) throw new PasskeyError('usage', `${EXPECTS}; got ${recognised.kind}, which holds none.`);
  return key;
}

function keyOf(recognised: Recognised): Uint8Array | undefined {
  const [bytes] = 'items' in recognised ? recognised.items : [];
  switch (recognised.kind) {
    case 'cose-key':
      return bytes;
    case 'attestation-object':
      return bytes && keyOfAuthenticatorData(decodeAttestationObject(bytes).authData);
    case 'authenticator-data':
      return bytes && keyOfAuthenticatorData(bytes);
    case 'registration': {
      const { response } = recognised.json;
      const text = isObject(response) ? response['attestationObject'] : undefined;
      const object = typeof text === 'string' ? decodeBase64(text)?.bytes : undefined;
      return object && keyOfAuthenticatorData(decodeAttestationObject(object).authData);
    }
    default:
      return undefined;
  }
}

function keyOfAuthenticatorData(bytes: Uint8Array): Uint8Array | undefined {
  return decodeAuthenticatorData(bytes).attestedCredentialData?.credentialPublicKey;
}
