import { decodeUtf8, encodeUtf8 } from '../../../src/kernel/bytes.js';
import type { Expectation } from '../../../src/relying-party/steps/context.js';
import type { AuthenticationSlug, RegistrationSlug } from '../../../src/relying-party/steps/procedure.js';
import { type AuthenticatorDataFields, type ClientDataFields, FLAGS } from '../ceremony.js';
import { challenge } from '../diagnosis/explained.js';
import type { Row } from './outcome.js';

type Bytes = (bytes: Uint8Array) => Uint8Array;
type Fields = ClientDataFields & AuthenticatorDataFields & { readonly change?: { readonly clientDataJSON?: Bytes } };

export const UNREADABLE = 'could not be read';
const noClientData = { change: { clientDataJSON: () => new Uint8Array() } } satisfies Partial<Fields>;
const withoutType: Bytes = (bytes) => encodeUtf8(decodeUtf8(bytes).replace(/"type":"[^"]*",/, ''));
const topOrigin = 'https://top.example';
const embedded: Partial<Expectation> = { topOrigins: [topOrigin] };

/** What §7.1 and §7.2 have in common: the client data, and the flags of the user. */
export const SHARED_ROWS: readonly Row<RegistrationSlug & AuthenticationSlug, Fields, Expectation>[] = [
  ['options', 'skip'],
  ['response', 'pass'],
  ['client-data-text', 'pass', 'all is well', { received: 'bytes' }],
  ['client-data-text', 'fail', 'there is none', { fields: noClientData, code: 'client_data_malformed' }],
  ['client-data', 'pass', 'all is well', { received: 'type, challenge, origin, crossOrigin' }],
  [
    'client-data',
    'fail',
    'it is no JSON',
    { fields: { change: { clientDataJSON: (bytes) => bytes.subarray(1) } }, code: 'client_data_malformed' },
  ],
  ['type', 'fail', 'of neither', { fields: { type: 'payment.get' }, code: 'type_mismatch', hint: 'another API' }],
  [
    'type',
    'fail',
    'there is none',
    { fields: { change: { clientDataJSON: withoutType } }, code: 'type_mismatch', received: 'none', hint: 'every client writes a type' },
  ],
  [
    'client-data',
    'pass',
    'there is no type, which the next step says',
    { fields: { change: { clientDataJSON: withoutType } }, received: 'challenge, origin, crossOrigin' },
  ],
  [
    'type',
    'fail',
    'it is a number',
    {
      fields: { change: { clientDataJSON: (bytes) => encodeUtf8(decodeUtf8(bytes).replace(/"type":"[^"]*"/, '"type":1')) } },
      code: 'type_mismatch',
      received: 'not a string',
    },
  ],
  ['type', 'skip', 'there is no client data', { fields: noClientData, received: UNREADABLE }],
  ['challenge', 'pass'],
  ['challenge', 'fail', 'it was used', { expected: { challenge: { status: 'used', challenge } }, code: 'challenge_used' }],
  ['challenge', 'fail', 'it is too old', { expected: { challenge: { status: 'expired', challenge } }, code: 'challenge_expired' }],
  ['challenge', 'skip', 'there is no client data', { fields: noClientData, received: UNREADABLE }],
  ['origin', 'pass'],
  ['origin', 'fail', 'it goes on', { fields: { origin: 'https://example.org.evil.example' }, code: 'origin_mismatch' }],
  ['origin', 'skip', 'there is no client data', { fields: noClientData, received: UNREADABLE }],
  ['cross-origin', 'pass', 'all is well', { received: 'false' }],
  ['cross-origin', 'pass', 'an iframe is expected', { fields: { crossOrigin: true }, expected: embedded, received: 'true' }],
  ['cross-origin', 'skip', 'there is no client data', { fields: noClientData, received: UNREADABLE }],
  ['top-origin', 'pass', 'it is expected', { fields: { crossOrigin: true, topOrigin }, expected: embedded, received: topOrigin }],
  [
    'top-origin',
    'fail',
    'it is another',
    { fields: { crossOrigin: true, topOrigin: 'https://else.example' }, expected: embedded, code: 'top_origin_mismatch' },
  ],
  [
    'top-origin',
    'fail',
    'no iframe is expected',
    { fields: { crossOrigin: true, topOrigin }, code: 'top_origin_mismatch', hint: '--top-origin', reported: false },
  ],
  [
    'top-origin',
    'fail',
    'there is no iframe',
    { fields: { crossOrigin: false, topOrigin }, expected: embedded, code: 'top_origin_mismatch', hint: 'contradicts itself' },
  ],
  ['top-origin', 'skip', 'there is none', { received: 'absent' }],
  ['client-data-hash', 'pass'],
  ['rp-id-hash', 'pass'],
  ['rp-id-hash', 'fail', 'it is of a suffix', { fields: { rpId: 'org' }, code: 'rp_id_mismatch', received: 'of "org"' }],
  ['user-present', 'pass', 'all is well', { received: 'UP set' }],
  ['user-verified', 'pass', 'it is preferred', { fields: { flags: FLAGS.up }, received: 'UV not set' }],
  [
    'user-verified',
    'fail',
    'it is required',
    { fields: { flags: FLAGS.up }, expected: { userVerification: 'required' }, code: 'user_not_verified' },
  ],
  ['backup-flags', 'pass', 'all is well', { received: 'BE not set, BS not set' }],
  ['backup-flags', 'fail', 'BS is alone', { fields: { flags: FLAGS.up | FLAGS.bs }, code: 'backup_state_invalid' }],
  ['extension-outputs', 'skip', 'there are none', { received: 'no extension outputs' }],
];
