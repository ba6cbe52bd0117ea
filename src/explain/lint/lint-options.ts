import { asObject, isObject, type JsonObject } from '../../kernel/json-value.js';
import { whyNoRpId } from '../../relying-party/diagnosis/rp-id.js';
import { ATTACHMENTS, ATTESTATION_CONVEYANCES, ATTESTATION_FORMAT_IDS, REQUIREMENT_LEVELS } from '../../webauthn/enumerations.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../../webauthn/json.js';
import { type Advice, advise, adviseWords, unknownMembers } from './advice.js';
import { lintExtensions } from './extensions.js';
import { lintChallenge, lintDescriptors, lintHints, lintTimeout } from './members.js';
import { lintParameters } from './parameters.js';
import { lintUser } from './user.js';

const HOST_COUNTS = 'By default it is the host of the page, so passkeys of www. and of the bare domain are separate; set it.';
/** Advice on members that belong inside another member but are often put at the top level of options. */
const SELECTION = 'It belongs inside authenticatorSelection.';
const NOT_IN_CREATION: ReadonlyMap<string, string> = new Map([
  ['userVerification', SELECTION],
  ['residentKey', SELECTION],
  ['requireResidentKey', SELECTION],
  ['authenticatorAttachment', SELECTION],
  ['rpId', 'Registration options have it as rp.id.'],
  ['allowCredentials', 'It belongs to logins; registrations have excludeCredentials.'],
]);
const NOT_IN_REQUEST: ReadonlyMap<string, string> = new Map([
  ['rp', 'Login options have it as rpId.'],
  ['authenticatorSelection', 'It belongs to registrations; a login has userVerification at the top level.'],
  ['excludeCredentials', 'It belongs to registrations; logins have allowCredentials.'],
  ['mediation', 'It belongs next to publicKey, not inside.'],
]);

/**
 * Gives advice on a PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.1.9, §5.4).
 *
 * @param origin origin of the page that will use the options, if known.
 */
export function lintCreationOptions(options: JsonObject, origin?: string): Advice[] {
  const { authenticatorSelection: selection } = options;
  return [
    ...unknownMembers('', options, CREATION_MEMBERS, NOT_IN_CREATION),
    ...lintRp(options['rp'], origin),
    ...lintUser(options['user']),
    ...lintChallenge(options['challenge']),
    ...lintParameters(options['pubKeyCredParams']),
    ...lintTimeout(options['timeout']),
    ...lintDescriptors('/excludeCredentials', options['excludeCredentials']),
    ...lintSelection(selection),
    ...lintHints(options['hints'], asObject(selection)['authenticatorAttachment']),
    ...lintAttestation(options),
    ...lintExtensions(options['extensions'], 'registration'),
  ];
}

/**
 * Gives advice on a PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.1.10, §5.5). `origin` is the origin of the page that will use it,
 * if known.
 */
export function lintRequestOptions(options: JsonObject, origin?: string): Advice[] {
  return [
    ...unknownMembers('', options, REQUEST_MEMBERS, NOT_IN_REQUEST),
    ...lintChallenge(options['challenge']),
    ...lintTimeout(options['timeout']),
    ...lintRpId('/rpId', options['rpId'], origin),
    ...lintDescriptors('/allowCredentials', options['allowCredentials']),
    ...adviseWords('/userVerification', options['userVerification'], REQUIREMENT_LEVELS, '"preferred"'),
    ...lintHints(options['hints'], undefined),
    ...lintExtensions(options['extensions'], 'authentication', readIds(options['allowCredentials'])),
  ];
}

function readIds(descriptors: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(descriptors) ? descriptors : [];
  return list.flatMap((entry) => (isObject(entry) && typeof entry['id'] === 'string' ? [entry['id']] : []));
}

function* lintRpId(pointer: string, value: unknown, origin: string | undefined): Generator<Advice> {
  if (value === undefined) return yield advise('note', pointer, HOST_COUNTS);
  if (typeof value !== 'string' || value === '') {
    return yield advise('error', pointer, `A host name is expected; got ${JSON.stringify(value)}.`);
  }
  const why = whyNoRpId(value, origin);
  if (why !== undefined) yield advise('error', pointer, why);
}

function* lintRp(value: unknown, origin: string | undefined): Generator<Advice> {
  if (!isObject(value)) return yield advise('error', '/rp', 'An object { id, name } is expected.');
  const { id, name } = value;
  yield* unknownMembers('/rp', value, ['id', 'name', 'icon']);
  if ('icon' in value) yield advise('note', '/rp/icon', 'Icons were removed from the standard; leave it out.');
  yield* lintRpId('/rp/id', id, origin);
  if (typeof name !== 'string' || name === '') {
    yield advise('error', '/rp/name', 'A name is required; create() throws a TypeError without it.');
  }
}

function* lintSelection(value: unknown): Generator<Advice> {
  const pointer = '/authenticatorSelection';
  if (value !== undefined && !isObject(value)) yield advise('error', pointer, 'An object is expected.');
  const selection = asObject(value);
  const { authenticatorAttachment, residentKey, requireResidentKey, userVerification } = selection;
  yield* unknownMembers(pointer, selection, ['authenticatorAttachment', 'residentKey', 'requireResidentKey', 'userVerification']);
  yield* adviseWords(`${pointer}/authenticatorAttachment`, authenticatorAttachment, ATTACHMENTS, 'any');
  yield* adviseWords(`${pointer}/residentKey`, residentKey, REQUIREMENT_LEVELS, 'the value of requireResidentKey');
  yield* adviseWords(`${pointer}/userVerification`, userVerification, REQUIREMENT_LEVELS, '"preferred"');
  if (residentKey === undefined && requireResidentKey !== true) {
    const message = 'Without it credentials need not be discoverable; ask for "required" (or "preferred") to get passkeys.';
    yield advise('note', `${pointer}/residentKey`, message);
  }
  if (requireResidentKey !== undefined && residentKey !== undefined && requireResidentKey !== (residentKey === 'required')) {
    const message = 'It is for browsers of Level 1 and must be true exactly where residentKey is "required".';
    yield advise('warning', `${pointer}/requireResidentKey`, message);
  }
}

/** Advice for values of `attestation` that make the browser ask the user for consent. */
const CONSENT =
  'Browsers may ask people for consent, and synced passkeys have no attestation. Ask for it only if you check it against roots; any client can send "none" instead, so never count that as trusted.';
const ON_ATTESTATION: ReadonlyMap<unknown, string> = new Map([
  ['direct', CONSENT],
  ['indirect', CONSENT],
  ['enterprise', 'It works only where the browser or device is managed and configured for this RP ID.'],
]);

function* lintAttestation({ attestation, attestationFormats: formats }: JsonObject): Generator<Advice> {
  yield* adviseWords('/attestation', attestation, ATTESTATION_CONVEYANCES, '"none"');
  const remark = ON_ATTESTATION.get(attestation);
  if (remark !== undefined) yield advise('note', '/attestation', remark);
  if (formats === undefined) return;
  const pointer = '/attestationFormats';
  if (attestation === undefined || attestation === 'none') yield advise('note', pointer, 'It does nothing while attestation is "none".');
  if (!Array.isArray(formats)) return yield advise('error', pointer, 'An array is expected, such as ["packed"].');
  for (const [index, format] of formats.entries()) yield* adviseWords(`${pointer}/${index}`, format, ATTESTATION_FORMAT_IDS, 'the others');
}
