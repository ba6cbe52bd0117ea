import type { CertifiedFormatId } from '../../../webauthn/enumerations.js';
import type { StatementChange } from './makers/certified.js';
import { byForger, byForgerWithRoot, byNamesake, byNamesakeBeforeTheRoot, byNamesakeWithRoot, LONG_AGO } from './makers/chains.js';
import { withFields } from './makers/edits.js';
import { type AttestationRow, type StatementMaker, untrusted } from './row.js';

type Make = (change: StatementChange) => StatementMaker;

const RULE = '§7.1 step 24: attestation certificate chains up to an acceptable root';

/** What holds for the attestation certificate of every format (§7.1 step 24), where it stands alone. */
export function rootRows(format: CertifiedFormatId, make: Make): readonly AttestationRow[] {
  return untrusted(
    format,
    {
      id: 'root-of-stranger',
      title: 'an attestation certificate that a stranger has issued',
      rule: RULE,
      why: 'Anybody can set up a certification authority, and attest whatever he likes.',
      check: 'trust-anchor',
      make: make({ issued: byForger }),
    },
    {
      id: 'root-of-same-name',
      title: 'an issuer that is named like the trusted root, with another key',
      rule: RULE,
      why: 'Names are free to choose; the signature of the root is not.',
      check: 'trust-anchor',
      make: make({ issued: byNamesake }),
    },
    {
      id: 'certificate-expired',
      title: 'an attestation certificate that expired in 2020',
      rule: 'RFC 5280 §6.1.3: every certificate of the path is valid now',
      why: 'Keys are retired by the end of their certificates; one that leaked may be used for ever.',
      check: 'chain-validity',
      make: make({ leaf: withFields(LONG_AGO) }),
    },
  );
}

/** As {@link rootRows}, and what holds for certificates that stand behind it. */
export function chainRows(format: CertifiedFormatId, make: Make): readonly AttestationRow[] {
  const rows = untrusted(
    format,
    {
      id: 'root-smuggled-in',
      title: 'a chain that ends in a root of the sender, which stands in x5c',
      rule: RULE,
      why: 'A server that takes the last certificate of x5c for a root trusts everybody.',
      check: 'trust-anchor',
      make: make({ issued: byForgerWithRoot }),
    },
    {
      id: 'root-of-same-name-in-x5c',
      title: 'a root in x5c that is named like the trusted root, with another key',
      rule: RULE,
      why: 'A server that finds its root by name takes the forged one for it.',
      check: 'trust-anchor',
      make: make({ issued: byNamesakeWithRoot }),
    },
    {
      id: 'root-appended',
      title: 'the trusted root behind a certificate that it has not signed',
      rule: RULE,
      why: 'A server that only looks for its root in x5c never asks whether it signed anything.',
      check: 'chain-signatures',
      make: make({ issued: byNamesakeBeforeTheRoot }),
    },
  );
  return [...rootRows(format, make), ...rows];
}
