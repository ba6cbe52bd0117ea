import { sameBytes } from './bytes.js';
import { check, type Party, refuse } from './party.js';
import { bytesOf, isJson, type Json } from './request.js';

const MEMBERS = ['id', 'rawId', 'type', 'response', 'authenticatorAttachment', 'clientExtensionResults', 'label'];
const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'];

/** A RegistrationResponseJSON or AuthenticationResponseJSON (§5.1) on its outside. */
export interface Credential {
  readonly id: Uint8Array;
  readonly idText: string;
  readonly rawId: Uint8Array;
  readonly response: Json;
  readonly transports: readonly string[] | undefined;
  /** A member of the body that no client sends. */
  readonly isVerified: boolean;
  /** Another. */
  readonly aaguid: string | undefined;
}

export function readCredential(body: Json, party: Party): Credential {
  const { faults } = party;
  const { response } = body;
  if (!isJson(response)) refuse('member_missing', 'The object "response" is missing.');
  const typed = body['type'] === 'public-key' || faults.has('credential-type-unchecked');
  check(typed, 'member_unfit', 'The type of the credential is not "public-key".');
  if (faults.has('unknown-member-refused')) {
    const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name));
    check(unknown === undefined, 'member_unknown', `There is a member "${unknown}".`);
  }
  const outputs = body['clientExtensionResults'];
  if (faults.has('client-extension-results-refused')) {
    check(!isJson(outputs) || Object.keys(outputs).length === 0, 'extension_unasked', 'No extension was asked for.');
  }
  if (faults.has('attachment-required')) {
    check(typeof body['authenticatorAttachment'] === 'string', 'member_missing', 'authenticatorAttachment is missing.');
  }
  check(body['id'] !== '', 'member_unfit', 'The credential ID is empty.');
  return {
    id: bytesOf(body, 'id', party),
    idText: String(body['id']),
    rawId: bytesOf(body, 'rawId', party),
    response,
    transports: readTransports(response['transports']),
    isVerified: body['userVerified'] === true,
    aaguid: typeof body['aaguid'] === 'string' ? body['aaguid'] : undefined,
  };
}

/** §5.2.1: any texts. */
function readTransports(transports: unknown): string[] | undefined {
  if (transports === undefined || transports === null) return undefined;
  const texts = Array.isArray(transports) && transports.every((one: unknown) => typeof one === 'string');
  return texts ? transports.map(String) : refuse('member_unfit', '"transports" is no list of texts.');
}

export function checkTransports({ transports }: Credential, { faults }: Party): void {
  if (faults.has('transports-required')) check(transports !== undefined, 'member_missing', 'The transports are missing.');
  if (faults.has('unknown-transport-refused')) {
    const known = (transports ?? []).every((one) => TRANSPORTS.includes(one));
    check(known, 'member_unfit', 'There is an unknown transport.');
  }
}

export function checkRawId({ id, rawId }: Credential, { faults }: Party): void {
  check(sameBytes(id, rawId) || faults.has('raw-id-unchecked'), 'member_unfit', 'rawId is not id.');
}
