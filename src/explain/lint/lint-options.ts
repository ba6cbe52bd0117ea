import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { whyNoRpId } from '../../relying-party/diagnosis/rp-id.js';
import { ATTACHMENTS, ATTESTATION_CONVEYANCES, ATTESTATION_FORMAT_IDS, REQUIREMENT_LEVELS } from '../../webauthn/enumerations.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../../webauthn/json.js';
import { type Advice, advise, adviseWords, unknownMembers } from './advice.js';
import { lintExtensions } from './extensions.js';
import { lintChallenge, lintDescriptors, lintHints, lintTimeout } from './members.js';
import { lintParameters } from './parameters.js';
import { lintUser } from './user.js';

const HOST_COUNTS = 'Without it the host of the page counts, so that passkeys of www. and of the bare domain are not the same; name it.';
/** Where members belong that people put at the top of the other kind of options. */
const SELECTION = 'It belongs inside authenticatorSelection.';
const NOT_IN_CREATION: ReadonlyMap<string, string> = new Map([
  ['userVerification', SELECTION],
  ['residentKey', SELECTION],
  ['requireResidentKey', SELECTION],
  ['authenticatorAttachment', SELECTION],
  ['rpId', 'Options of a registration name it as rp.id.'],
  ['allowCredentials', 'It belongs to logins; registrations have excludeCredentials.'],
]);
const NOT_IN_REQUEST: ReadonlyMap<string, string> = new Map([
  ['rp', 'Options of a login name it as rpId.'],
  ['authenticatorSelection', 'It belongs to registrations; a login has userVerification at the top.'],
  ['excludeCredentials', 'It belongs to registrations; logins have allowCredentials.'],
  ['mediation', 'It stands beside publicKey, not inside.'],
]);

/**
 * Advice on a PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.1.9, §5.4).
 *
 * @param origin of the page that will use it, where that is known.
 */
export function lintCreationOptions(options: JsonObject, origin?: string): Advice[] {
  const { authenticatorSelection } = options;
  const selection = isObject(authenticatorSelection) ? authenticatorSelection : {};
  return [
    ...unknownMembers('', options, CREATION_MEMBERS, NOT_IN_CREATION),
    ...lintRp(options['rp'], origin),
    ...lintUser(options['user']),
    ...lintChallenge(options['challenge']),
    ...lintParameters(options['pubKeyCredParams']),
    ...lintTimeout(options['timeout']),
    ...lintDescriptors('/excludeCredentials', options['excludeCredentials']),
    ...(authenticatorSelection === undefined || isObject(authenticatorSelection)
      ? []
      : [advise('error', '/authenticatorSelection', 'An object is expected.')]),
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
    ...unknownMembers('', options, REQUEST_MEMBERS, NOT_IN_REQUEST),
    ...lintChallenge(options['challenge']),
    ...lintTimeout(options['timeout']),
    ...(rpId === undefined ? [advise('note', '/rpId', HOST_COUNTS)] : lintRpId('/rpId', rpId, origin)),
    ...lintDescriptors('/allowCredentials', options['allowCredentials']),
    ...adviseWords('/userVerification', userVerification, REQUIREMENT_LEVELS, '"preferred"'),
    ...lintHints(options['hints'], undefined),
    ...lintExtensions(options['extensions'], 'authentication', readIds(options['allowCredentials'])),
  ];
}

function readIds(descriptors: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(descriptors) ? descriptors : [];
  return list.flatMap((entry) => (isObject(entry) && typeof entry['id'] === 'string' ? [entry['id']] : []));
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
    ...('icon' in value ? [advise('note', '/rp/icon', 'Icons were removed from the standard; leave it out.')] : []),
    ...(id === undefined ? [advise('note', '/rp/id', HOST_COUNTS)] : lintRpId('/rp/id', id, origin)),
    ...(typeof name === 'string' && name !== ''
      ? []
      : [advise('error', '/rp/name', 'A name is required; create() throws a TypeError without it.')]),
  ];
}

function lintSelection(selection: JsonObject): Advice[] {
  const { authenticatorAttachment, residentKey, requireResidentKey, userVerification } = selection;
  const pointer = '/authenticatorSelection';
  return [
    ...unknownMembers(pointer, selection, ['authenticatorAttachment', 'residentKey', 'requireResidentKey', 'userVerification']),
    ...adviseWords(`${pointer}/authenticatorAttachment`, authenticatorAttachment, ATTACHMENTS, 'any'),
    ...adviseWords(`${pointer}/residentKey`, residentKey, REQUIREMENT_LEVELS, 'the value of requireResidentKey'),
    ...adviseWords(`${pointer}/userVerification`, userVerification, REQUIREMENT_LEVELS, '"preferred"'),
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
    ...adviseWords('/attestation', attestation, ATTESTATION_CONVEYANCES, '"none"'),
    ...(attestation === 'direct' || attestation === 'indirect'
      ? [
          advise(
            'note',
            '/attestation',
            'Browsers may ask people for consent, and synced passkeys have no attestation. Ask for it only if you check it against roots; anybody can send "none" instead, so never count that as trusted.',
          ),
        ]
      : []),
    ...(attestation === 'enterprise'
      ? [advise('note', '/attestation', 'It works only where the browser or device is managed and configured for this RP ID.')]
      : []),
    ...(attestationFormats !== undefined && !wanted
      ? [advise('note', '/attestationFormats', 'It does nothing while attestation is "none".')]
      : []),
    ...(attestationFormats === undefined || Array.isArray(attestationFormats)
      ? []
      : [advise('error', '/attestationFormats', 'An array is expected, such as ["packed"].')]),
    ...(Array.isArray(attestationFormats)
      ? attestationFormats.flatMap((format: unknown, index) =>
          adviseWords(`/attestationFormats/${index}`, format, ATTESTATION_FORMAT_IDS, 'the others'),
        )
      : []),
  ];
}
