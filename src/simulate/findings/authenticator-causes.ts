import { type Cause, kinds } from './cause.js';

const PHISHING = "A response that an attacker's site got for another RP ID counts as one for yours.";
const STOLEN = 'Anyone who finds or steals a device can sign in without its PIN or its owner’s fingerprint.';
const MALWARE = 'Malware with access to an authenticator signs in without its user.';
const ANYBODY = 'Anyone can sign in as any user whose credential ID they know.';
const CHANGED = 'An attacker who sees one signed response changes what it says, such as challenge, origin or flags, and sends it again.';

const RP_ID: readonly Cause[] = [
  {
    id: 'rp-id',
    severity: 'high',
    proof: 'accepted',
    cases: /\.rp-id-hash$/,
    says: 'The server does not compare the RP ID hash: it accepted {responses} of authenticators for other sites.',
    gain: PHISHING,
  },
  ...kinds(
    { severity: 'high', proof: 'accepted', gain: PHISHING, within: ['rp-id'] },
    {
      'rp-id-in-request': [
        /\.rp-id-hash-in-request$/,
        'The server takes the expected RP ID from the request: it accepted {responses} for the RP ID of another site.',
      ],
      'rp-id-part': [
        /\.rp-id-hash-(?:first-half|second-half|zero)$/,
        'The server compares only a part of the RP ID hash: it accepted {responses} with a different hash.',
      ],
      'rp-id-domain': [
        /\.rp-id-hash-of-(?:subdomain|parent-domain)$/,
        'The server accepts the RP ID of another domain, such as a subdomain or the parent: {responses}.',
      ],
      'rp-id-of-client-origin': [
        /\.rp-id-hash-of-further-origin$/,
        'The server takes the RP ID from the origin in the response: it accepted {responses} for the RP ID of another site.',
      ],
      'rp-id-of-origin': [
        /\.(?:rp-id-hash-of-(?:origin|host-and-port|upper-case)|app-id-unasked)$/,
        'The server accepts the hash of something else than its RP ID, such as its origin or an AppID that it did not ask for: {responses}.',
      ],
      'passkey-of-another-application': [
        /\.passkey-of-another-application$/,
        'The server does not separate the RP IDs of its applications: it accepted {logins} with a passkey of another application.',
      ],
    },
  ),
];

const FLAGS: readonly Cause[] = [
  {
    id: 'user-verified',
    severity: 'high',
    proof: 'accepted',
    cases: /\.(?:user-not-verified|backed-up-but-not-verified)$/,
    says: 'The server does not check user verification where it requires it: it accepted {responses} without it.',
    gain: STOLEN,
  },
  {
    id: 'user-verified-discoverable',
    severity: 'high',
    proof: 'accepted',
    cases: /\.user-not-verified-discoverable$/,
    says: 'The server checks user verification only in logins that name the user: it accepted {responses} without it in logins that name no user.',
    gain: STOLEN,
    within: ['user-verified'],
  },
  {
    id: 'user-verified-unsigned',
    severity: 'high',
    proof: 'accepted',
    cases: /\.user-verified-in-json$/,
    says: 'The server reads user verification from members that are not signed: it accepted {responses} that only claim it.',
    gain: STOLEN,
    within: ['user-verified'],
  },
  {
    id: 'user-present',
    severity: 'medium',
    cases: /\.user-not-present$/,
    says: 'The server does not check that the user was present: it accepted {responses} without the flag UP.',
    gain: MALWARE,
  },
  ...kinds(
    { severity: 'low' },
    {
      'backup-flags': [
        /\.backup-state-without-eligibility$/,
        'The server does not compare the backup flags: it accepted {responses} with BS and without BE.',
      ],
      'backup-eligibility': [
        /\.backup-eligibility-/,
        'The server does not compare the backup eligibility with the stored one: it accepted {logins} in which it had changed.',
      ],
    },
  ),
];

const SIGNATURE: readonly Cause[] = [
  {
    id: 'signature',
    severity: 'critical',
    proof: 'signedIn',
    cases: /\.signature-bit$/,
    says: 'The server does not verify the signature of a login: it accepted {responses} that the passkey did not sign.',
    gain: ANYBODY,
  },
  ...kinds(
    { severity: 'critical', proof: 'signedIn', gain: ANYBODY, within: ['signature'] },
    {
      'signature-missing': [/\.signature-(?:empty|cut)$/, 'The server accepts a signature that is empty or cannot be read: {responses}.'],
      'signature-numbers': [
        /\.signature-(?:zero-bytes|zero-numbers|one-numbers|order-numbers)$/,
        'The server accepts signatures that fit every key ("psychic signatures"): {responses}.',
      ],
      'signature-key': [
        /\.(?:key-in-(?:response|authenticator-data)|signature-(?:of-another-user|by-other-key))$/,
        'The server does not verify with the key of the passkey: it accepted {example} ({responses}).',
      ],
    },
  ),
  {
    id: 'client-data-hashed-anew',
    severity: 'low',
    cases: /\.client-data-space-after-signing$/,
    says: 'The server hashes client data that it has parsed and serialized again, instead of those that it received: it accepted {responses}.',
    within: ['signature', 'signed-data'],
  },
  {
    id: 'signed-data',
    severity: 'critical',
    proof: 'signedIn',
    cases: /\.(?:signature-over-|signed-data-bit$|.+-after-signing$)/,
    says: 'The server accepts a signature over other data than it must cover, such as {example}: {responses}.',
    gain: CHANGED,
    within: ['signature'],
  },
  {
    id: 'signature-of-another-passkey',
    severity: 'high',
    proof: 'accepted',
    cases: /\.signature-of-another-passkey$/,
    says: 'The server verifies with any key of the user: it accepted {responses} signed by a passkey that they do not name.',
    gain: 'A weaker or removed passkey passes for another.',
    within: ['signature', 'signature-key'],
  },
  ...kinds(
    { severity: 'low', within: ['signature', 'signature-missing'] },
    {
      'signature-algorithm': [
        /\.(?:es256|rs256|ps256)-with-/,
        'The server lets the signature choose its digest or padding: it accepted {responses} such as {example}.',
      ],
      'signature-form': [
        /\.(?:signature-(?:raw|trailing-byte|doubled|not-minimal|long-length|indefinite-length|negative|third-number|order-added)|rs256-leading-zero|eddsa-cut)$/,
        'The server accepts signatures in a form that the standard does not allow, such as {example}: {responses}.',
      ],
    },
  ),
];

const DATA: readonly Cause[] = [
  {
    id: 'algorithm',
    severity: 'medium',
    cases: /\.algorithm-not-offered$/,
    says: 'The server accepts keys of algorithms that it did not offer: {registrations}.',
    gain: 'A passkey can use a weak algorithm, or one that the library verifies wrongly.',
  },
  {
    id: 'public-key',
    severity: 'medium',
    cases: /\.(?:public-key-(?:off-curve|zero|private)|rsa-)/,
    says: 'The server does not check that the key can be used: it accepted {registrations} with a key that cannot verify signatures.',
    gain: 'A key that fits no algorithm is verified by guesswork, or not at all.',
  },
  ...kinds(
    { severity: 'low', within: ['public-key'] },
    {
      'public-key-type': [
        /\.(?:public-key-(?:other-curve|of-other-type|algorithm-)|eddsa-key-)/,
        'The server does not compare type and curve of the key with its algorithm: it accepted {example} ({registrations}).',
      ],
      'public-key-form': [
        /\.public-key-/,
        'The server accepts keys in a form that the standard does not allow, such as {example}: {registrations}.',
      ],
    },
  ),
  ...kinds(
    { severity: 'low' },
    {
      'attested-credential': [
        /\.(?:no-attested-credential|attested-credential-(?:missing|unflagged|cut|announced)|credential-id-length-beyond)$/,
        'The server accepts attested credential data that are truncated or not announced, such as {example}: {responses}.',
      ],
      extensions: [
        /\.extensions-(?:not-cbor|form|missing|not-a-map|cut)$/,
        'The server does not parse the extension outputs: it accepted {responses} in which they are malformed.',
      ],
      'authenticator-data-end': [
        /\.(?:authenticator-data-(?:trailing-byte|doubled)|extensions-(?:unflagged|followed))$/,
        'The server accepts bytes after the authenticator data: {responses}.',
      ],
      'authenticator-data': [
        /\.authenticator-data-(?:empty|hash-only|cut|malformed)$/,
        'The server accepts truncated authenticator data: {responses}.',
      ],
    },
  ),
];

/** Causes for mistakes about the authenticator's data: RP ID hash, flags, signatures and keys. */
export const AUTHENTICATOR_CAUSES: readonly Cause[] = [...RP_ID, ...FLAGS, ...SIGNATURE, ...DATA];
