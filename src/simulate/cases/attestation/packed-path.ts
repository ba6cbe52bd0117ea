import { flipBit } from '../../engine/edits.js';
import { chainRows, expiredIntermediate } from './chain-rows.js';
import { withExtension, withFields } from './makers/certified.js';
import {
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
import { packed } from './makers/statements.js';
import { type AttestationRow, breaking, untrusted } from './row.js';

const PATH = '§7.1 step 24, RFC 5280 §6.1: a path of valid certificates, each issued by the next';

/** Cases about the certificate path of `packed` statements and its trust anchor (§7.1 step 24). */
export const PACKED_PATH: readonly AttestationRow[] = [
  ...untrusted('packed', {
    ...breaking(PATH, 'trust-anchor', {
      'self-signed-certificate': {
        title: 'a self-signed attestation certificate',
        why: 'Anyone can make a self-signed certificate; it proves only that they have a key.',
        make: packed({ issued: bySelf }),
      },
      'certificate-changed': {
        title: 'an attestation certificate with one bit of its signature flipped',
        why: 'A certificate whose signature is not verified can say anything.',
        make: packed({ x5c: (certificates) => certificates.map(flipBit(-1)) }),
      },
      'intermediate-missing': {
        title: 'an attestation certificate without the intermediate that issued it',
        why: 'A server that ignores the missing certificate leaves a signature unchecked.',
        make: packed({ issued: intermediateMissing }),
      },
    }),
    'intermediate-other-key': {
      title: 'an honest intermediate that did not sign the attestation certificate',
      rule: PATH,
      why: 'A vendor’s certificates are public; naming one as the issuer proves nothing.',
      check: 'chain-signatures',
      make: packed({ issued: byOtherKeyOfIntermediate }),
    },
    'path-in-other-order': {
      title: 'the root before the intermediate',
      rule: PATH,
      why: 'A server that checks each certificate against the next must not skip pairs that do not match.',
      check: 'chain-signatures',
      disputed: '§8.2 says only which certificate comes first; a server may sort the others.',
      make: packed({ issued: rootBeforeIntermediate }),
    },
    'certificate-not-yet-valid': {
      title: 'an attestation certificate that becomes valid in 2049',
      rule: 'RFC 5280 §6.1.3: every certificate of the path is valid now',
      why: 'A server must also check when a certificate becomes valid, not only when it expires.',
      check: 'chain-validity',
      make: packed({ leaf: withFields(FAR_AHEAD) }),
    },
    'issuer-no-ca': {
      title: 'an issuer that is not a CA by its basic constraints',
      rule: 'RFC 5280 §6.1.4 (k): issuers are CAs',
      why: 'Extracting one authenticator’s key would be enough to attest as any model.',
      check: 'chain-authorities',
      make: packed({ issued: byNoCa }),
    },
    'issuer-without-basic-constraints': {
      title: 'an issuer without basic constraints',
      rule: 'RFC 5280 §6.1.4 (k): issuers are CAs',
      why: 'Extracting one authenticator’s key would be enough to attest as any model.',
      check: 'chain-authorities',
      make: packed({ issued: withoutBasicConstraints }),
    },
    'issuer-without-cert-sign': {
      title: 'an issuer whose key may not sign certificates',
      rule: 'RFC 5280 §6.1.4 (n): the key usage of issuers has keyCertSign',
      why: 'A key certified for another purpose must not issue certificates.',
      check: 'chain-authorities',
      make: packed({ issued: withoutCertSign }),
    },
    'path-too-long': {
      title: 'a CA issued by a CA whose path length is 0',
      rule: 'RFC 5280 §6.1.4 (l), (m): no more CAs than the path length allows',
      why: 'A CA with narrow rights could grant itself wider ones.',
      check: 'chain-authorities',
      make: packed({ issued: pathTooLong }),
    },
    'unknown-critical-extension': {
      title: 'an unknown extension that is marked critical',
      rule: 'RFC 5280 §4.2: a certificate with an unknown critical extension is refused',
      why: 'The extension may say that the certificate must not be used for attestation.',
      check: 'chain-critical-extensions',
      make: packed({ leaf: withExtension({ oid: '2.999.1', critical: true, value: Uint8Array.of(5, 0) }) }),
    },
  }),
  ...expiredIntermediate('packed', packed),
  ...chainRows('packed', packed),
];
