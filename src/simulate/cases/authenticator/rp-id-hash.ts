import { concatBytes } from '../../../kernel/bytes.js';
import { SHA256_BYTES } from '../../../webauthn/limits.js';
import { findRpId } from '../../engine/attempts.js';
import { hashText, setRpIdHash } from '../../engine/authenticator-data-edits.js';
import { because, type Case, listRows, type Rows } from '../../engine/case.js';
import { authenticationCase, type BothRow, both, type EitherCeremony } from '../../engine/ceremony-cases.js';
import { setClientData } from '../../engine/client-data-edits.js';
import type { CaseContext } from '../../engine/context.js';
import { FURTHER_ORIGIN } from '../../engine/demands.js';
import { setMembers } from '../../engine/edits.js';
import { denied } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';
import { ON_SUBDOMAIN, parentDomain, readHost } from '../client-data/origin-edits.js';

interface HashRow extends Pick<BothRow, 'title' | 'why' | 'origin'> {
  /** Returns 32 bytes that differ from the hash of the RP ID. */
  readonly hash: (ceremony: EitherCeremony) => Uint8Array;
}

const ZEROS = new Uint8Array(SHA256_BYTES);
const HALF = SHA256_BYTES / 2;

const PHISHING =
  'The RP ID hash ties a response to your site. With a looser comparison, a response made for another site logs in here. Compare all 32 bytes with the SHA-256 of your RP ID.';
const NAME_ONLY =
  'The authenticator hashes the RP ID: a domain in lower case, without scheme or port. A server that accepts the hash of something else does not know which site the credential is for. Compare with the SHA-256 of your RP ID only.';

const ROWS: Rows<HashRow> = {
  'rp-id-hash': { title: 'the hash of the RP ID of another site', hash: () => hashText('other-site.example'), why: PHISHING },
  ...because<HashRow>(NAME_ONLY, {
    'rp-id-hash-of-origin': { title: 'the hash of the origin instead of the RP ID', hash: ({ context }) => hashText(context.origin) },
    'rp-id-hash-of-host-and-port': {
      title: 'the hash of the RP ID with a port',
      hash: ({ context, rpId }) => hashText(`${rpId}:${new URL(context.origin).port || '443'}`),
    },
    'rp-id-hash-of-upper-case': { title: 'the hash of the RP ID in upper case', hash: ({ rpId }) => hashText(rpId.toUpperCase()) },
  }),
  'rp-id-hash-of-subdomain': {
    title: 'the hash of a subdomain of the RP ID',
    hash: ({ rpId }) => hashText(`www.${rpId}`),
    why: 'A subdomain is a different RP ID, and someone else may control it. Compare with the SHA-256 of the one RP ID in your options.',
  },
  'rp-id-hash-of-parent-domain': {
    title: 'the hash of the parent domain of the RP ID',
    hash: ({ rpId }) => hashText(parentDomain(rpId)),
    ...ON_SUBDOMAIN,
    why: 'The parent domain is a different RP ID. Its passkeys work on every subdomain, including one that an attacker controls. Compare with the SHA-256 of the one RP ID in your options.',
  },
  ...because<HashRow>(PHISHING, {
    'rp-id-hash-first-half': {
      title: 'the right hash in its first 16 bytes only',
      hash: ({ rpId }) => concatBytes(hashText(rpId).subarray(0, HALF), ZEROS.subarray(HALF)),
    },
    'rp-id-hash-second-half': {
      title: 'the right hash in its last 16 bytes only',
      hash: ({ rpId }) => concatBytes(ZEROS.subarray(HALF), hashText(rpId).subarray(HALF)),
    },
    'rp-id-hash-zero': { title: 'zeros instead of the hash of the RP ID', hash: () => ZEROS },
  }),
};

/** Finds an origin that the target accepts although its host differs from the RP ID. */
function furtherOrigin({ driver }: CaseContext, rpId: string): string {
  const { origins = [FURTHER_ORIGIN] } = driver.has;
  const further = origins.find((origin) => readHost(origin) !== rpId);
  if (further === undefined) throw notApplicable('every other accepted origin of the target has the RP ID as its host');
  return further;
}

/** Cases about the RP ID hash in the authenticator data (§7.1 step 14, §7.2 step 15). */
export const RP_ID_HASHES: readonly Case[] = [
  ...listRows(ROWS).flatMap(({ hash, ...row }) =>
    both({
      ...row,
      edits: (ceremony) => ({ authenticatorData: setRpIdHash(hash(ceremony)) }),
      code: 'rp_id_mismatch',
      step: 'rp-id-hash',
    }),
  ),
  authenticationCase({
    id: 'login.rp-id-hash-of-further-origin',
    title: 'another accepted origin, and the hash of its host instead of the RP ID',
    wants: { furtherOrigins: true },
    ...ON_SUBDOMAIN,
    edits({ context, options }) {
      const further = furtherOrigin(context, findRpId(context, options.rpId));
      return { clientData: setClientData({ origin: further }), authenticatorData: setRpIdHash(hashText(readHost(further))) };
    },
    why: 'Sites that may use your RP ID also have passkeys for their own RP IDs. A server that derives the RP ID from C.origin accepts those. Compare with the SHA-256 of the one RP ID in your options.',
    expected: denied('rp_id_mismatch', 'rp-id-hash'),
  }),
  authenticationCase({
    id: 'login.app-id-unasked',
    title: 'the hash of the origin, and the claim that the extension appid was used',
    rule: '§10.1.1: appid counts only if the options requested it',
    edits: ({ context }) => ({
      authenticatorData: setRpIdHash(hashText(context.origin)),
      response: setMembers({ clientExtensionResults: { appid: true } }),
    }),
    why: 'Client extension results are not signed, so the sender can write anything there. Accept an AppID in place of the RP ID only if your own options requested that AppID.',
    expected: denied('rp_id_mismatch', 'rp-id-hash'),
  }),
];
