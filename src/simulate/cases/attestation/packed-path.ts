import { flipBit } from '../../engine/edits.js';
import { chainRows } from './chain-rows.js';
import {
  byExpired,
  byNoCa,
  byOtherKeyOfIntermediate,
  bySelf,
  FAR_AHEAD,
  intermediateMissing,
  pathTooLong,
  rootBeforeIntermediate,
  withoutBasicConstraints,
  withoutCertSign,
} from './makers/chains.js';
import { withExtension, withFields } from './makers/edits.js';
import { packed } from './makers/statements.js';
import { type AttestationRow, untrusted } from './row.js';

const PATH = '§7.1 step 24, RFC 5280 §6.1: a path of valid certificates, each issued by the next';

/** §7.1 step 24: where the certificates of packed lead. */
export const PACKED_PATH: readonly AttestationRow[] = [
  ...untrusted(
    'packed',
    {
      id: 'self-signed-certificate',
      title: 'an attestation certificate that its own key has signed',
      rule: PATH,
      why: 'Everybody can make one; it proves that its maker has a key.',
      check: 'trust-anchor',
      make: packed({ issued: bySelf }),
    },
    {
      id: 'certificate-changed',
      title: 'an attestation certificate with one bit of its signature flipped',
      rule: PATH,
      why: 'A certificate whose signature nobody verifies says whatever its sender likes.',
      check: 'trust-anchor',
      make: packed({ x5c: (certificates) => certificates.map(flipBit(-1)) }),
    },
    {
      id: 'intermediate-missing',
      title: 'an attestation certificate without the intermediate that issued it',
      rule: PATH,
      why: 'A path with a gap leads nowhere; a server that skips the gap skips a signature.',
      check: 'trust-anchor',
      make: packed({ issued: intermediateMissing }),
    },
    {
      id: 'intermediate-other-key',
      title: 'an honest intermediate that has not signed the attestation certificate',
      rule: PATH,
      why: 'The certificates of a vendor are public: naming one as issuer proves nothing.',
      check: 'chain-signatures',
      make: packed({ issued: byOtherKeyOfIntermediate }),
    },
    {
      id: 'path-in-other-order',
      title: 'the root before the intermediate',
      rule: PATH,
      why: 'A server that pairs neighbours must not skip the pairs that do not fit.',
      check: 'chain-signatures',
      disputed: '§8.2 says only which certificate comes first; a server may sort the others.',
      make: packed({ issued: rootBeforeIntermediate }),
    },
    {
      id: 'certificate-not-yet-valid',
      title: 'an attestation certificate of the year 2049',
      rule: 'RFC 5280 §6.1.3: every certificate of the path is valid now',
      why: 'Half of a check of times is none.',
      check: 'chain-validity',
      make: packed({ leaf: withFields(FAR_AHEAD) }),
    },
    {
      id: 'intermediate-expired',
      title: 'an intermediate that expired in 2020',
      rule: 'RFC 5280 §6.1.3: every certificate of the path is valid now',
      why: 'The key of a retired CA issues certificates that are valid in themselves.',
      check: 'chain-validity',
      make: packed({ issued: byExpired }),
    },
    {
      id: 'issuer-no-ca',
      title: 'an issuer whose basic constraints say that it is no CA',
      rule: 'RFC 5280 §6.1.4 (k): issuers are CAs',
      why: 'Who extracts the key of one authenticator attests for every model.',
      check: 'chain-authorities',
      make: packed({ issued: byNoCa }),
    },
    {
      id: 'issuer-without-basic-constraints',
      title: 'an issuer without basic constraints',
      rule: 'RFC 5280 §6.1.4 (k): issuers are CAs',
      why: 'Who extracts the key of one authenticator attests for every model.',
      check: 'chain-authorities',
      make: packed({ issued: withoutBasicConstraints }),
    },
    {
      id: 'issuer-without-cert-sign',
      title: 'an issuer whose key may not sign certificates',
      rule: 'RFC 5280 §6.1.4 (n): the key usage of issuers has keyCertSign',
      why: 'A key that was certified for other purposes issues certificates.',
      check: 'chain-authorities',
      make: packed({ issued: withoutCertSign }),
    },
    {
      id: 'path-too-long',
      title: 'a CA below one that may have none below it',
      rule: 'RFC 5280 §6.1.4 (l), (m): no more CAs than the path length allows',
      why: 'A CA that was given narrow rights gives itself wide ones.',
      check: 'chain-authorities',
      make: packed({ issued: pathTooLong }),
    },
    {
      id: 'unknown-critical-extension',
      title: 'an unknown extension that is marked critical',
      rule: 'RFC 5280 §4.2: a certificate with an unknown critical extension is refused',
      why: 'What the issuer says must be understood may be that this certificate is not for that.',
      check: 'chain-critical-extensions',
      make: packed({ leaf: withExtension({ oid: '2.999.1', critical: true, value: Uint8Array.of(5, 0) }) }),
    },
  ),
  ...chainRows('packed', packed),
];
