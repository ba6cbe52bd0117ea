import type { Ceremony } from '../relying-party/ports.js';
import { decodeBase64url, encodeBase64url } from '../webauthn/base64url.js';

/**
 * A begun ceremony as two JSON texts, its most compact form. `common` is what ceremonies of one application have in common, so that
 * they can share one string; `own` is what belongs to the user or the credential. The challenge, the times and the client are not in it.
 */
export interface CeremonyText {
  readonly common: string;
  readonly own: string;
}

/** Members of a ceremony besides its text. */
type BesidesText = Pick<Ceremony, 'challenge' | 'issuedAt' | 'expiresAt' | 'client'>;

// Without names of members: the places of a list say what they are. An absent value is null.
type Common = [
  kind: Ceremony['kind'],
  rpId: string,
  origins: string[],
  topOrigins: string[],
  rpName: string | null,
  mediation: 'conditional' | null,
  userVerification: Ceremony['userVerification'],
  algorithms: number[],
  options: Record<string, unknown>,
];
type Own = [
  owner: [type: string, id: number] | null,
  userHandle: string | null,
  credentialId: string | null,
  options: Record<string, unknown>,
];

/** Members of the options that belong to the user or the credential. In `common` a null holds their place. */
const OWN_MEMBERS = new Set(['challenge', 'user', 'allowCredentials', 'excludeCredentials']);

export function ceremonyText(ceremony: Ceremony): CeremonyText {
  const { kind, rpId, origins, topOrigins, rpName, mediation, userVerification, algorithms, owner, options } = ceremony;
  const challenge = encodeBase64url(ceremony.challenge);
  const members = Object.entries(options).filter(([, value]) => value !== undefined);
  const shared = members.map(([name, value]) => [name, OWN_MEMBERS.has(name) ? null : value]);
  const own = members.filter(([name, value]) => OWN_MEMBERS.has(name) && !(name === 'challenge' && value === challenge));
  const common = [
    kind,
    rpId,
    [...origins],
    [...topOrigins],
    rpName ?? null,
    mediation ?? null,
    userVerification,
    [...algorithms],
    Object.fromEntries(shared),
  ] satisfies Common;
  const rest = [
    owner === undefined ? null : [owner.type, owner.id],
    encodeOptional(ceremony.userHandle),
    encodeOptional(ceremony.credentialId),
    Object.fromEntries(own),
  ] satisfies Own;
  return { common: JSON.stringify(common), own: JSON.stringify(rest) };
}

/** The ceremony that `ceremonyText` was given, as a copy. */
export function ceremonyFromText(text: CeremonyText, besides: BesidesText): Ceremony {
  const [kind, rpId, origins, topOrigins, rpName, mediation, userVerification, algorithms, shared]: Common = JSON.parse(text.common);
  const [owner, userHandle, credentialId, own]: Own = JSON.parse(text.own);
  const challenge = encodeBase64url(besides.challenge);
  const members = Object.entries(shared).map(([name, value]) => {
    if (Object.hasOwn(own, name)) return [name, own[name]];
    return [name, name === 'challenge' ? challenge : value];
  });
  return {
    kind,
    rpId,
    origins,
    topOrigins,
    owner: owner === null ? undefined : { type: owner[0], id: owner[1] },
    userHandle: decodeOptional(userHandle),
    rpName: rpName ?? undefined,
    ...(mediation !== null && { mediation }),
    credentialId: decodeOptional(credentialId),
    userVerification,
    algorithms,
    options: Object.fromEntries(members),
    ...besides,
  };
}

/** Bytes of heap that the characters of a text take: one each in Latin-1, else two. */
export function textBytes(text: string): number {
  return /[\u0100-\uffff]/.test(text) ? 2 * text.length : text.length;
}

function encodeOptional(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : encodeBase64url(bytes);
}

function decodeOptional(text: string | null): Uint8Array | undefined {
  return text === null ? undefined : decodeBase64url(text);
}
