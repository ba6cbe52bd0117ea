import { sha256 } from './bytes.js';
import type { Ceremony } from './ceremonies.js';
import { originFits } from './origin.js';
import { type CeremonyKind, check, guarded, type Party, refuse } from './party.js';

/** What the client signed (§5.8.1). */
export interface ClientData {
  readonly members: Readonly<Record<string, unknown>>;
  readonly challenge: string;
  /** SHA-256 of the bytes as they were sent. */
  readonly hash: Buffer;
  /** The bytes as they were sent. */
  readonly bytes: Uint8Array;
}

const MEMBERS = ['type', 'challenge', 'origin', 'crossOrigin', 'topOrigin'];

/** §7.1 steps 5 and 6, §7.2 steps 8 and 9. */
export function readClientData(bytes: Uint8Array, party: Party): ClientData {
  const { faults } = party;
  const decoded = faults.has('client-data-overlong-decoded') ? shortenLetters(bytes) : bytes;
  const text = new TextDecoder('utf-8', { ignoreBOM: faults.has('client-data-bom-refused') }).decode(decoded);
  const json = mendText(text, party);
  const parsed = guarded(party, 'malformed-client-data-crashes', 'client_data_unreadable', (): unknown => JSON.parse(json));
  if (!isObject(parsed)) refuse('client_data_unreadable', 'The client data are no JSON object.');
  const known = Object.keys(parsed).filter((name) => MEMBERS.includes(name));
  if (faults.has('client-data-order-required')) {
    check(known.join() === MEMBERS.filter((name) => known.includes(name)).join(), 'client_data_order', 'Members are out of order.');
  }
  if (faults.has('unknown-client-data-member-refused')) {
    check(
      known.length === Object.keys(parsed).length,
      'client_data_member',
      'The client data have a member that this server does not know.',
    );
  }
  const challenge = faults.has('challenge-by-pattern') ? /"challenge"\s*:\s*"([^"]*)"/.exec(text)?.[1] : parsed['challenge'];
  if (typeof challenge !== 'string') refuse('client_data_unreadable', 'The client data hold no challenge.');
  const hashed = faults.has('client-data-hashed-anew') ? JSON.stringify(parsed) : bytes;
  return { members: parsed, challenge, hash: sha256(hashed), bytes };
}

/** Of two bytes of UTF-8 that one would do for, that one. */
function shortenLetters(bytes: Uint8Array): Uint8Array {
  const read: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0xc1) at += 1;
    read.push(byte === 0xc1 ? 0x40 | ((bytes[at] ?? 0) & 0x3f) : byte);
  }
  return Uint8Array.from(read);
}

/** What a reader of more than JSON would take, with these faults. */
function mendText(text: string, { faults }: Party): string {
  if (faults.has('client-data-trimmed')) return text.trim();
  return faults.has('client-data-as-script') ? text.replace(/\/\*.*?\*\//g, '').replace(/,\s*\}$/, '}') : text;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** §7.1 steps 7 and 9 to 11, §7.2 steps 10 and 12 to 14. */
export function checkClientData({ members }: ClientData, kind: CeremonyKind, ceremony: Ceremony, header: string | undefined, party: Party) {
  const { faults } = party;
  if (!faults.has(`${kind}-type-unchecked`)) check(typeFits(members['type'], kind, party), 'wrong_type', `This is no webauthn.${kind}.`);
  if (!faults.has(`${kind}-origin-unchecked`)) {
    const fits = originFits(members['origin'], ceremony, header, party);
    check(fits, 'foreign_origin', 'The response was made for an origin that is not accepted.', 403);
  }
  checkFrames(members, kind, ceremony, party);
}

function typeFits(type: unknown, kind: CeremonyKind, { faults }: Party): boolean {
  if (typeof type !== 'string') return false;
  if (faults.has('type-by-prefix') && type.startsWith('webauthn.')) return true;
  if (faults.has('type-as-c-string')) return type.split('\0', 1)[0] === `webauthn.${kind}`;
  if (faults.has('type-by-line')) return type.split('\n').includes(`webauthn.${kind}`);
  if (faults.has('type-by-list')) return type.split(/[ ,;]+/).includes(`webauthn.${kind}`);
  return (faults.has('type-case-folded') ? type.toLowerCase() : type) === `webauthn.${kind}`;
}

function checkFrames(members: ClientData['members'], kind: CeremonyKind, ceremony: Ceremony, { faults, policy }: Party): void {
  const { crossOrigin, topOrigin } = members;
  if (faults.has('cross-origin-required')) check(crossOrigin !== undefined, 'cross_origin_missing', 'crossOrigin is missing.');
  const aBoolean = crossOrigin === undefined || typeof crossOrigin === 'boolean';
  check(aBoolean, 'client_data_unreadable', 'crossOrigin is neither true nor false.');
  if (!faults.has(`${kind}-cross-origin-unchecked`)) {
    check(crossOrigin !== true || policy.topOrigins.length > 0, 'framed', 'The response was made in a foreign frame.', 403);
  }
  if (topOrigin === undefined || faults.has(`${kind}-top-origin-unchecked`)) return;
  if (faults.has('top-origin-only-with-cross-origin') && crossOrigin !== true) return;
  const own = faults.has('top-origin-among-origins') ? [ceremony.origin] : [];
  const fits = [...policy.topOrigins, ...own].some(
    (expected) =>
      topOrigin === expected || (faults.has('top-origin-by-prefix') && typeof topOrigin === 'string' && topOrigin.startsWith(expected)),
  );
  check(fits, 'framed', 'The response was made in a frame of an origin that is not expected.', 403);
}
