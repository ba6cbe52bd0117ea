import type { CertifiedFormatId } from '../../../webauthn/enumerations.js';
import { withFields } from './makers/certified.js';
import {
  byExpired,
  byForger,
  byForgerWithRoot,
  byNamesake,
  byNamesakeBeforeTheRoot,
  byNamesakeWithRoot,
  LONG_AGO,
} from './makers/chains.js';
import { type AttestationRow, untrusted } from './row.js';
import type { Make } from './shared-rows.js';

const RULE = '§7.1 step 24: attestation certificate chains up to an acceptable root';

/** Makes rows about a single attestation certificate and its root, for any format (§7.1 step 24). */
export function rootRows(format: CertifiedFormatId, make: Make): readonly AttestationRow[] {
  return untrusted(format, {
    'root-of-stranger': {
      title: 'an attestation certificate issued by an unknown CA',
      rule: RULE,
      why: 'Anyone can set up a CA and attest anything.',
      check: 'trust-anchor',
      make: make({ issued: byForger }),
    },
    'root-of-same-name': {
      title: 'an issuer with the name of the trusted root and another key',
      rule: RULE,
      why: 'Anyone can choose a name; no attacker can forge the root’s signature.',
      check: 'trust-anchor',
      make: make({ issued: byNamesake }),
    },
    'certificate-expired': {
      title: 'an attestation certificate that expired in 2020',
      rule: 'RFC 5280 §6.1.3: every certificate of the path is valid now',
      why: 'Certificates expire to retire keys; a leaked key would work forever.',
      check: 'chain-validity',
      make: make({ leaf: withFields(LONG_AGO) }),
    },
  });
}

/** Makes the {@link rootRows} and rows about the CA certificates that follow the attestation certificate in x5c. */
export function chainRows(format: CertifiedFormatId, make: Make): readonly AttestationRow[] {
  const rows = untrusted(format, {
    'root-smuggled-in': {
      title: 'a chain in x5c that ends in the sender’s own root',
      rule: RULE,
      why: 'A server that treats the last certificate of x5c as a root trusts everyone.',
      check: 'trust-anchor',
      make: make({ issued: byForgerWithRoot }),
    },
    'root-of-same-name-in-x5c': {
      title: 'a root in x5c with the name of the trusted root and another key',
      rule: RULE,
      why: 'A server that finds its root by name accepts the forged one.',
      check: 'trust-anchor',
      make: make({ issued: byNamesakeWithRoot }),
    },
    'root-appended': {
      title: 'the trusted root after a certificate that it did not sign',
      rule: RULE,
      why: 'A server that only looks for its root in x5c never checks what the root signed.',
      check: 'chain-signatures',
      make: make({ issued: byNamesakeBeforeTheRoot }),
    },
  });
  return [...rootRows(format, make), ...rows];
}

/** Makes the row with an expired intermediate certificate, for formats whose vendors use intermediates. */
export function expiredIntermediate(format: CertifiedFormatId, make: Make): readonly AttestationRow[] {
  return untrusted(format, {
    'intermediate-expired': {
      title: 'an intermediate that expired in 2020',
      rule: 'RFC 5280 §6.1.3: every certificate of the path is valid now',
      why: 'A retired CA key can still issue certificates that look fine on their own.',
      check: 'chain-validity',
      make: make({ issued: byExpired }),
    },
  });
}
