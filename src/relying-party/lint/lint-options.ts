import { isObject, type JsonObject } from '../../webauthn/annotate/json-value.js';
import { asciiText } from '../../webauthn/annotate/text-encoding.js';
import { whyNoRpId } from '../diagnosis/rp-id.js';
import { type Advice, advise, oneOf, unknownMembers } from './advice.js';
import { lintExtensions } from './extensions.js';
import { lintBytes, lintChallenge, lintDescriptors, lintHints, lintTimeout } from './members.js';
import { lintParameters } from './parameters.js';

const REQUIREMENTS = ['required', 'preferred', 'discouraged'];
const FORMATS = ['none', 'packed', 'tpm', 'android-key', 'android-safetynet', 'fido-u2f', 'apple', 'compound'];
const MAX_USER_HANDLE_BYTES = 64;

/**
 * Advice on a PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.1.9, §5.4).
 *
 * @param origin of the page that will use it, where that is known.
 */
export function lintCreationOptions(options: JsonObject, origin?: string): Advice[] {
  const selection = isObject(options['authenticatorSelection']) ? options['authenticatorSelection'] : {};
  return [
    ...unknownMembers('', options, [
      'rp',
      'user',
      'challenge',
      'pubKeyCredParams',
      'timeout',
      'excludeCredentials',
      'authenticatorSelection',
      'hints',
      'attestation',
      'attestationFormats',
      'extensions',
    ]),
    ...lintRp(options['rp'], origin),
    ...lintUser(options['user']),
    ...lintChallenge(options['challenge']),
    ...lintParameters(options['pubKeyCredParams']),
    ...lintTimeout(options['timeout']),
    ...lintDescriptors('/excludeCredentials', options['excludeCredentials']),
    ...lintSelection(selection),
    ...lintHints(options['hints'], selection['authenticatorAttachment']),
    ...lintAttestation(options),
    ...lintExtensions(options['extensions'], 'registration'),
  ];
}

/** Advice on a PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.1.10, §5.5). */
export function lintRequestOptions(options: JsonObject, origin?: string): Advice[] {
  const { rpId, userVerification } = options;
  return [
    ...unknownMembers('', options, ['challenge', 'timeout', 'rpId', 'allowCredentials', 'userVerification', 'hints', 'extensions']),
    ...lintChallenge(options['challenge']),
    ...lintTimeout(options['timeout']),
    ...(rpId === undefined ? [] : lintRpId('/rpId', rpId, origin)),
    ...lintDescriptors('/allowCredentials', options['allowCredentials']),
    ...oneOf('/userVerification', userVerification, REQUIREMENTS, '"preferred"'),
    ...lintHints(options['hints'], undefined),
    ...lintExtensions(options['extensions'], 'authentication'),
  ];
}

function lintRpId(pointer: string, value: unknown, origin: string | undefined): Advice[] {
  if (typeof value !== 'string' || value === '') {
    return [advise('error', pointer, `A host name is expected; got ${JSON.stringify(value)}.`)];
  }
  const why = whyNoRpId(value, origin);
  return why === undefined ? [] : [advise('error', pointer, why)];
}

function lintRp(value: unknown, origin: string | undefined): Advice[] {
  if (!isObject(value)) {
    return [advise('error', '/rp', 'An object { id, name } is expected.')];
  }
  const { id, name } = value;
  return [
    ...unknownMembers('/rp', value, ['id', 'name', 'icon']),
    ...('icon' in value ? [advise('note', '/rp/icon', 'Icons were removed from the standard; leave it away.')] : []),
    ...(id === undefined
      ? [
          advise(
            'note',
            '/rp/id',
            'Without it the host of the page counts, so that passkeys of www. and of the bare domain are not the same; name it.',
          ),
        ]
      : lintRpId('/rp/id', id, origin)),
    ...(typeof name === 'string' && name !== ''
      ? []
      : [advise('error', '/rp/name', 'A name is required; create() throws a TypeError without it.')]),
  ];
}

function lintUser(value: unknown): Advice[] {
  if (!isObject(value)) {
    return [advise('error', '/user', 'An object { id, name, displayName } is expected.')];
  }
  const { id, name, displayName } = value;
  return [
    ...unknownMembers('/user', value, ['id', 'name', 'displayName', 'icon']),
    ...('icon' in value ? [advise('note', '/user/icon', 'Icons were removed from the standard; leave it away.')] : []),
    ...lintUserId(id),
    ...(typeof name === 'string' && name !== ''
      ? []
      : [advise('error', '/user/name', 'A name is required: it is what people choose their passkey by.')]),
    ...(typeof displayName === 'string' ? [] : [advise('error', '/user/displayName', 'A text is required; it may be empty.')]),
  ];
}

function lintUserId(value: unknown): Advice[] {
  if (typeof value === 'string' && /@/.test(value)) {
    return [
      advise(
        'error',
        '/user/id',
        'This is an e-mail address as plain text; user.id is base64url of up to 64 random bytes that say nothing about the user (§14.6.1).',
      ),
    ];
  }
  const { advice, bytes } = lintBytes('/user/id', value);
  if (bytes === undefined) {
    return advice;
  }
  if (bytes.length === 0 || bytes.length > MAX_USER_HANDLE_BYTES) {
    advice.push(advise('error', '/user/id', `1 to ${MAX_USER_HANDLE_BYTES} bytes are allowed; these are ${bytes.length}.`));
  } else if (/@/.test(asciiText(bytes) ?? '')) {
    advice.push(
      advise(
        'warning',
        '/user/id',
        'The bytes are an e-mail address: authenticators show user handles without verifying the user; use random bytes (§14.6.1).',
      ),
    );
  }
  return advice;
}

function lintSelection(selection: JsonObject): Advice[] {
  const { authenticatorAttachment, residentKey, requireResidentKey, userVerification } = selection;
  const pointer = '/authenticatorSelection';
  return [
    ...unknownMembers(pointer, selection, ['authenticatorAttachment', 'residentKey', 'requireResidentKey', 'userVerification']),
    ...oneOf(`${pointer}/authenticatorAttachment`, authenticatorAttachment, ['platform', 'cross-platform'], 'any'),
    ...oneOf(`${pointer}/residentKey`, residentKey, REQUIREMENTS, 'the value of requireResidentKey'),
    ...oneOf(`${pointer}/userVerification`, userVerification, REQUIREMENTS, '"preferred"'),
    ...(residentKey === undefined && requireResidentKey !== true
      ? [
          advise(
            'note',
            `${pointer}/residentKey`,
            'Without it credentials need not be discoverable; ask for "required" (or "preferred") to get passkeys.',
          ),
        ]
      : []),
    ...(requireResidentKey !== undefined && residentKey !== undefined && requireResidentKey !== (residentKey === 'required')
      ? [
          advise(
            'warning',
            `${pointer}/requireResidentKey`,
            'It is for browsers of Level 1 and must be true exactly where residentKey is "required".',
          ),
        ]
      : []),
  ];
}

function lintAttestation({ attestation, attestationFormats }: JsonObject): Advice[] {
  const wanted = attestation !== undefined && attestation !== 'none';
  return [
    ...oneOf('/attestation', attestation, ['none', 'indirect', 'direct', 'enterprise'], '"none"'),
    ...(attestation === 'direct' || attestation === 'indirect'
      ? [
          advise(
            'note',
            '/attestation',
            'Browsers may ask people for consent, and synced passkeys have no attestation; ask for it only if you hold it against roots, and take "none" as an answer.',
          ),
        ]
      : []),
    ...(attestation === 'enterprise'
      ? [advise('note', '/attestation', 'It works only where the browser or device is managed and configured for this RP ID.')]
      : []),
    ...(attestationFormats !== undefined && !wanted
      ? [advise('note', '/attestationFormats', 'It does nothing while attestation is "none".')]
      : []),
    ...(Array.isArray(attestationFormats)
      ? attestationFormats.flatMap((format: unknown, index) => oneOf(`/attestationFormats/${index}`, format, FORMATS, 'the others'))
      : []),
  ];
}
