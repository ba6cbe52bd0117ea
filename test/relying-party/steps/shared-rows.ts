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
  { slug: 'options', status: 'skip' },
  { slug: 'response', status: 'pass' },
  { slug: 'client-data-text', status: 'pass', received: 'bytes' },
  { slug: 'client-data-text', status: 'fail', when: 'there is none', fields: noClientData, code: 'client_data_malformed' },
  { slug: 'client-data', status: 'pass', received: 'type, challenge, origin, crossOrigin' },
  {
    slug: 'client-data',
    status: 'fail',
    when: 'it is no JSON',
    fields: { change: { clientDataJSON: (bytes) => bytes.subarray(1) } },
    code: 'client_data_malformed',
  },
  { slug: 'type', status: 'fail', when: 'of neither', fields: { type: 'payment.get' }, code: 'type_mismatch', hint: 'another API' },
  {
    slug: 'type',
    status: 'fail',
    when: 'there is none',
    fields: { change: { clientDataJSON: withoutType } },
    code: 'type_mismatch',
    received: 'none',
    hint: 'every client writes a type',
  },
  {
    slug: 'client-data',
    status: 'pass',
    when: 'there is no type, which the next step says',
    fields: { change: { clientDataJSON: withoutType } },
    received: 'challenge, origin, crossOrigin',
  },
  {
    slug: 'type',
    status: 'fail',
    when: 'it is a number',
    fields: { change: { clientDataJSON: (bytes) => encodeUtf8(decodeUtf8(bytes).replace(/"type":"[^"]*"/, '"type":1')) } },
    code: 'type_mismatch',
    received: 'no text',
  },
  { slug: 'type', status: 'skip', when: 'there is no client data', fields: noClientData, received: UNREADABLE },
  { slug: 'challenge', status: 'pass' },
  {
    slug: 'challenge',
    status: 'fail',
    when: 'it was used',
    expected: { challenge: { status: 'used', challenge } },
    code: 'challenge_used',
  },
  {
    slug: 'challenge',
    status: 'fail',
    when: 'it is too old',
    expected: { challenge: { status: 'expired', challenge } },
    code: 'challenge_expired',
  },
  { slug: 'challenge', status: 'skip', when: 'there is no client data', fields: noClientData, received: UNREADABLE },
  { slug: 'origin', status: 'pass' },
  { slug: 'origin', status: 'fail', when: 'it goes on', fields: { origin: 'https://example.org.evil.example' }, code: 'origin_mismatch' },
  { slug: 'origin', status: 'skip', when: 'there is no client data', fields: noClientData, received: UNREADABLE },
  { slug: 'cross-origin', status: 'pass', received: 'false' },
  {
    slug: 'cross-origin',
    status: 'pass',
    when: 'an iframe is expected',
    fields: { crossOrigin: true },
    expected: embedded,
    received: 'true',
  },
  { slug: 'cross-origin', status: 'skip', when: 'there is no client data', fields: noClientData, received: UNREADABLE },
  {
    slug: 'top-origin',
    status: 'pass',
    when: 'it is expected',
    fields: { crossOrigin: true, topOrigin },
    expected: embedded,
    received: topOrigin,
  },
  {
    slug: 'top-origin',
    status: 'fail',
    when: 'it is another',
    fields: { crossOrigin: true, topOrigin: 'https://else.example' },
    expected: embedded,
    code: 'top_origin_mismatch',
  },
  {
    slug: 'top-origin',
    status: 'fail',
    when: 'no iframe is expected',
    fields: { crossOrigin: true, topOrigin },
    code: 'top_origin_mismatch',
    hint: '--top-origin',
    reported: false,
  },
  {
    slug: 'top-origin',
    status: 'fail',
    when: 'there is no iframe',
    fields: { crossOrigin: false, topOrigin },
    expected: embedded,
    code: 'top_origin_mismatch',
    hint: 'contradicts itself',
  },
  { slug: 'top-origin', status: 'skip', when: 'there is none', received: 'absent' },
  { slug: 'client-data-hash', status: 'pass' },
  { slug: 'rp-id-hash', status: 'pass' },
  { slug: 'rp-id-hash', status: 'fail', when: 'it is of a suffix', fields: { rpId: 'org' }, code: 'rp_id_mismatch', received: 'of "org"' },
  { slug: 'user-present', status: 'pass', received: 'UP set' },
  { slug: 'user-verified', status: 'pass', when: 'it is preferred', fields: { flags: FLAGS.up }, received: 'UV not set' },
  {
    slug: 'user-verified',
    status: 'fail',
    when: 'it is required',
    fields: { flags: FLAGS.up },
    expected: { userVerification: 'required' },
    code: 'user_not_verified',
  },
  { slug: 'backup-flags', status: 'pass', received: 'BE not set, BS not set' },
  { slug: 'backup-flags', status: 'fail', when: 'BS is alone', fields: { flags: FLAGS.up | FLAGS.bs }, code: 'backup_state_invalid' },
  { slug: 'extension-outputs', status: 'skip', when: 'there are none', received: 'no extension outputs' },
];
