import { country, named, WRITE_EXTENSION } from '../../../src/webauthn/certificate-writer.js';
import { CA, LEAF, SUBJECT } from '../craft/certificates.js';
import { ec } from '../craft/keys.js';
import { type Attest, packed, type StatementChange, self } from '../craft/statements.js';
import type { Exchange } from './exchange-table.js';

const attesting =
  (attest: Attest): Exchange =>
  async (scene) =>
    await scene.register({ attest });
const certified = (change: StatementChange) => attesting(packed(change));
/** The subject without one of its attributes. */
const without = (place: number) => certified({ certificate: { subject: SUBJECT.filter((_, n) => n !== place) } });
const withExtension = (...extensions: readonly ReturnType<typeof WRITE_EXTENSION.aaguid>[]) =>
  certified({ certificate: { extensions: [...LEAF, ...extensions] } });
const OTHER_AAGUID = new Uint8Array(16).fill(9);

/** §8.2, §8.2.1. */
export const PACKED = {
  'packed-signature-unchecked': certified({ signer: () => ec() }),
  'packed-signed-by-credential': certified({ signer: (_, { pair }) => pair }),
  'packed-may-omit-client-data': certified({ signed: (_, { authData }) => authData }),
  'packed-algorithm-ignored': certified({ members: [['alg', -257]] }),
  'packed-empty-x5c': attesting(self([['x5c', []]])),
  'packed-self-signature-unchecked': attesting(self([], ec())),
  'packed-self-algorithm-unchecked': attesting(self([['alg', -257]])),
  'packed-ecdaa-unverified': attesting(self([['ecdaaKeyId', Buffer.alloc(8)]], ec())),
  'packed-certificate-version': certified({ certificate: { version: 2 } }),
  'packed-subject-country': without(0),
  'packed-subject-organization': without(1),
  'packed-subject-unit': certified({
    certificate: { subject: [country('SE'), named('O', 'Crafted'), named('OU', 'Another unit'), named('CN', 'Crafted')] },
  }),
  'packed-subject-common-name': without(3),
  'packed-certificate-ca': certified({ certificate: { extensions: CA } }),
  'packed-aaguid-extension': withExtension(WRITE_EXTENSION.aaguid(OTHER_AAGUID)),
  'packed-aaguid-extension-critical': withExtension(WRITE_EXTENSION.aaguid(new Uint8Array(16), true)),
  'packed-aaguid-extension-required': withExtension(),
  'malformed-certificate-crashes': certified({ chain: () => [Buffer.from('no certificate')] }),
} as const satisfies Record<string, Exchange>;
