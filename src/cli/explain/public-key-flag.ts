import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { recognise } from '../../explain/annotate/recognise.js';
import { KIND_NAMES, type Recognised } from '../../explain/annotate/recognised.js';
import { publicKeyHint } from '../../relying-party/diagnosis/public-key.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { encodeUtf8 } from '../../webauthn/bytes.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';

const EXPECTS = '--public-key expects a COSE key, or a registration or fixture that holds one, as text or file';

/** The COSE_Key of `--public-key`: in any encoding, or a file with it; the response or attestation object of a registration will do. */
export async function readPublicKey(raw: string, base: string): Promise<Uint8Array> {
  const file = await readFile(resolve(base, raw)).catch((cause: NodeJS.ErrnoException) => {
    // A key as text names no file, and may be longer than a path.
    if (cause.code === 'ENOENT' || cause.code === 'ENAMETOOLONG' || cause.code === 'ENOTDIR') return undefined;
    throw new PasskeyError('usage', `${EXPECTS}; ${raw} cannot be read (${cause.code ?? cause.message}).`, { cause });
  });
  const bytes = file ?? encodeUtf8(raw);
  let recognised: Recognised;
  try {
    recognised = recognise(bytes);
  } catch (cause) {
    const decoded = file ?? decodeBase64(raw.trim())?.bytes ?? bytes;
    const why = publicKeyHint(decoded, cause instanceof Error ? cause.message : String(cause));
    const nor = file === undefined && /[./\\]/.test(raw) && !raw.includes('\n') ? ` Nor is there a file ${raw}.` : '';
    throw new PasskeyError('usage', `${EXPECTS}. ${why}${nor}`, { cause });
  }
  const key = keyOf(recognised);
  if (key === undefined) throw new PasskeyError('usage', `${EXPECTS}; got ${article(KIND_NAMES[recognised.kind])}, which holds none.`);
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
    case 'registration':
      return keyOfRegistration(recognised.json);
    case 'fixture': {
      const { credential, response } = recognised.json;
      const key =
        isObject(credential) && typeof credential['publicKey'] === 'string' ? decodeBase64(credential['publicKey'])?.bytes : undefined;
      return key ?? (isObject(response) ? keyOfRegistration(response) : undefined);
    }
    default:
      return undefined;
  }
}

function keyOfRegistration({ response }: JsonObject): Uint8Array | undefined {
  const text = isObject(response) ? response['attestationObject'] : undefined;
  const object = typeof text === 'string' ? decodeBase64(text)?.bytes : undefined;
  return object && keyOfAuthenticatorData(decodeAttestationObject(object).authData);
}

function article(name: string): string {
  return `${/^[aeioux]/i.test(name) ? 'an' : 'a'} ${name}`;
}

function keyOfAuthenticatorData(bytes: Uint8Array): Uint8Array | undefined {
  return decodeAuthenticatorData(bytes).attestedCredentialData?.credentialPublicKey;
}
