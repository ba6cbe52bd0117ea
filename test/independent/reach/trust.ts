import { WRITE_EXTENSION } from '../../../src/webauthn/certificate-writer.js';
import { CA, intermediate, issue, LEAF, NOW, ROOT, SUBJECT, selfSigned } from '../craft/certificates.js';
import { ec } from '../craft/keys.js';
import { type Attest, packed, type StatementChange, self } from '../craft/statements.js';
import type { Exchange } from './exchange-table.js';

const DIRECT = { attestation: 'direct' };
const attesting =
  (attest?: Attest): Exchange =>
  async (scene) =>
    await scene.register(attest ? { attest } : {}, DIRECT);
const certified = (change: StatementChange) => attesting(packed(change));

const stranger = selfSigned('A root that nobody trusts');
/** Has the name of the root, and another key. */
const impostor = { ...ROOT, pair: ec() };
const between = intermediate();
const unsigned = intermediate({ signer: ec() });
const noCa = intermediate({ extensions: LEAF });
const short = intermediate({ extensions: [WRITE_EXTENSION.basicConstraints(true, 0), ...CA.slice(1)] });
const belowShort = issue({ issuer: short, subject: SUBJECT.slice(0, 2), extensions: CA });
const DAY = 86_400_000;

/** §7.1 step 25. */
export const TRUST = {
  'trust-unassessed': certified({ certificate: { issuer: stranger } }),
  'trust-by-name': certified({ certificate: { issuer: unsigned }, chain: (leaf) => [leaf.der, unsigned.der] }),
  'trust-in-sent-root': certified({ certificate: { issuer: stranger }, chain: (leaf) => [leaf.der, stranger.der] }),
  'trust-leaf-signature-unchecked': certified({ certificate: { issuer: impostor } }),
  'chain-expired': certified({ certificate: { notAfter: NOW - DAY } }),
  'chain-not-yet-valid': certified({ certificate: { notBefore: NOW + DAY } }),
  'chain-issuer-not-ca': certified({ certificate: { issuer: noCa }, chain: (leaf) => [leaf.der, noCa.der] }),
  'chain-path-length': certified({ certificate: { issuer: belowShort }, chain: (leaf) => [leaf.der, belowShort.der, short.der] }),
  'none-trusted': attesting(),
  'self-attestation-trusted': attesting(self()),
  'chain-with-root-refused': certified({ certificate: { issuer: between }, chain: (leaf) => [leaf.der, between.der, ROOT.der] }),
} as const satisfies Record<string, Exchange>;
