import { type Knowledge, type Known, type KnownFrom, readChallenge } from '../explain/ceremonies.js';
import type { KnownCredential } from '../explain/report/known-ceremony.js';
import { readAllowed } from '../explain/requested-options.js';
import type { OwnerRef } from '../kernel/owner.js';
import { formatMinute } from '../kernel/wording.js';
import type { Passkey } from '../relying-party/credential-record.js';
import type { RelyingParty } from '../relying-party/relying-party.js';
import { decodeBase64, encodeBase64url } from '../webauthn/base64url.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import type { RememberedCeremonies, RememberedCeremony } from './remembered-ceremonies.js';

interface Sources {
  readonly relyingParty: RelyingParty;
  readonly ceremonies: RememberedCeremonies;
  readonly now: () => number;
  /** Whether the caller may see data of this owner. */
  readonly maySee: (owner: OwnerRef | undefined) => boolean;
}

/**
 * Makes a function that finds what the server knows about a response: the ceremony with the response's challenge, in its state before the
 * first response, and the credential record with the response's credential ID.
 */
export function ceremonyKnowledge({ relyingParty, ceremonies, now, maySee }: Sources): Knowledge {
  return async (kind, credential) => {
    const challenge = readChallenge(credential);
    const begun = challenge && ceremonies.find(encodeBase64url(challenge));
    const known = begun !== undefined && begun.ceremony.kind === kind && maySee(findOwner(begun)) ? begun : undefined;
    const id = credential.json['id'];
    const bytes = typeof id === 'string' ? decodeBase64(id) : undefined;
    const stored = bytes?.canonical === true ? await relyingParty.findByCredentialId(bytes.bytes) : undefined;
    const passkey = stored !== undefined && maySee(stored.owner) ? stored : undefined;
    if (known === undefined) return passkey === undefined ? undefined : ofPasskey(kind, passkey);
    return ofCeremony(known, { kind, passkey, now: now(), relyingParty });
  };
}

function findOwner({ ceremony, finished }: RememberedCeremony): OwnerRef | undefined {
  return ceremony.owner ?? finished?.passkey?.owner ?? finished?.owner;
}

interface Around {
  readonly kind: CeremonyKind;
  readonly passkey: Passkey | undefined;
  readonly now: number;
  readonly relyingParty: RelyingParty;
}

function ofCeremony(begun: RememberedCeremony, { kind, passkey, now, relyingParty }: Around): Known {
  const { ceremony, finished } = begun;
  const { rpId, origins, topOrigins, userVerification, algorithms, mediation, options, issuedAt, expiresAt } = ceremony;
  const { attestationRoots, selfAttestation } = finished?.policy ?? relyingParty.policy;
  const at = finished?.at ?? now;
  const challenge = { status: at >= expiresAt ? ('expired' as const) : ('open' as const), challenge: ceremony.challenge };
  const common = { rpId, origins, topOrigins, userVerification, challenge, options, at };
  const from = {
    source: 'ceremony' as const,
    facts: ['challenge', 'rp_id', 'origins', 'options', 'policy'],
    message: `This server began the ${kind} at ${formatMinute(issuedAt)} UTC.`,
  };
  const observations =
    finished === undefined
      ? []
      : [
          {
            slug: 'challenge-answered',
            message: `This challenge was answered at ${formatMinute(finished.at)} UTC, and the response is explained as of that time; if it were sent again, it would be refused with challenge_used.`,
          },
        ];
  if (kind === 'registration') {
    const isKnown = finished === undefined ? passkey !== undefined : finished.error?.code === 'credential_already_registered';
    const policy = { algorithms, mediation, attestationRoots, selfAttestation, credentialKnown: isKnown };
    return { recorded: { ...common, ...policy }, from: [from], observations };
  }
  // As it stood before the login, where that is known.
  const record = finished?.passkey ?? passkey;
  const live = record !== undefined && (finished?.passkey !== undefined || record.revokedAt === undefined) ? record : undefined;
  const allowCredentials = ceremony.credentialId === undefined ? readAllowed(options) : [ceremony.credentialId];
  return {
    recorded: { ...common, credential: live === undefined ? 'unregistered' : readRecord(live), allowCredentials },
    from: live === undefined ? [from] : [from, fromPasskey(live, RECORD)],
    observations,
  };
}

/**
 * Collects facts about a response from its passkey alone, because its challenge is unknown. The step that compares the challenge stays
 * open.
 */
function ofPasskey(kind: CeremonyKind, passkey: Passkey): Known {
  const { rpId, origin } = passkey;
  const place = { rpId, origins: [origin] };
  if (kind === 'registration') return { recorded: place, from: [fromPasskey(passkey, PLACE)], observations: [] };
  const isLive = passkey.revokedAt === undefined;
  const credential = isLive ? readRecord(passkey) : ('unregistered' as const);
  return {
    recorded: { ...place, credential },
    from: [fromPasskey(passkey, isLive ? [...PLACE, ...RECORD] : PLACE)],
    observations: [],
  };
}

const PLACE: readonly string[] = ['rp_id', 'origins'];
const RECORD: readonly string[] = ['public_key', 'sign_count', 'backup_eligible', 'backup_state', 'user_handle'];

function fromPasskey({ id, label, revokedAt }: Passkey, facts: readonly string[]): KnownFrom {
  const since = revokedAt === undefined ? '' : ` It was revoked at ${formatMinute(revokedAt)} UTC.`;
  return { source: 'passkey', facts, message: `The credential ID belongs to passkey ${id} of this server (${label}).${since}` };
}

function readRecord({ credential, userHandle }: Passkey): KnownCredential {
  const { publicKey, signCount, backupEligible, backupState } = credential;
  return { publicKey, signCount, backupEligible, backupState, userHandle };
}
