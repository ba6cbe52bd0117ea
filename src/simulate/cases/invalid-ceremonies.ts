import type { RoomOptions } from '../in-process.js';
import type { ActorTraits } from './actor.js';
import { type AuthenticationSpec, authenticationCase } from './authentication-case.js';
import { appendByte, clearFlags, cutTo, FLAG, flipBit, setFlags } from './byte-edits.js';
import { type Case, denied, refused } from './case.js';
import { editOrigin, otherPort } from './client-data-edits.js';
import { registrationCase } from './registration-case.js';
import type { CommonEdits } from './tamper.js';

/** One thing that is wrong in the same way with a registration and with an authentication. */
interface Row {
  /** Last part of both ids. */
  readonly what: string;
  readonly title: string;
  readonly edits?: CommonEdits;
  readonly actor?: ActorTraits;
  readonly room?: RoomOptions;
  /** Which endpoint takes the authentication; default `login`. */
  readonly endpoint?: NonNullable<AuthenticationSpec['endpoint']>;
  readonly code: string;
  readonly step?: string;
}

const CLIENT_DATA: readonly Row[] = [
  {
    what: 'client-data-cut',
    title: 'the client data is no JSON',
    edits: { clientData: (text) => text.slice(0, -1) },
    code: 'client_data_malformed',
    step: 'client-data',
  },
  {
    what: 'origin-other-port',
    title: 'a page on another port of the same host',
    actor: { page: { origin: otherPort } },
    code: 'origin_mismatch',
    step: 'origin',
  },
  {
    what: 'origin-longer-host',
    title: 'a host that only begins like the expected one',
    edits: { clientData: editOrigin((origin) => origin.replace(/^(https?:\/\/[^:/]+)/, '$1.example')) },
    endpoint: 'verify',
    code: 'origin_mismatch',
    step: 'origin',
  },
  {
    what: 'cross-origin',
    title: 'a page in an iframe of another origin',
    actor: { page: { crossOrigin: true } },
    code: 'cross_origin_not_allowed',
    step: 'cross-origin',
  },
  {
    what: 'top-origin-other',
    title: 'an iframe under a top-level origin that is not allowed',
    room: { policy: { topOrigins: ['https://top.example'] } },
    actor: { page: { topOrigin: 'https://other.example' } },
    code: 'top_origin_mismatch',
    step: 'top-origin',
  },
];

const AUTHENTICATOR_DATA: readonly Row[] = [
  {
    what: 'rp-id-hash',
    title: 'the hash of another RP ID',
    edits: { authenticatorData: flipBit(0) },
    code: 'rp_id_mismatch',
    step: 'rp-id-hash',
  },
  {
    what: 'user-not-present',
    title: 'the user did not touch anything',
    edits: { authenticatorData: clearFlags(FLAG.up) },
    code: 'user_not_present',
    step: 'user-present',
  },
  {
    what: 'user-not-verified',
    title: 'user verification is required, and was not done',
    room: { policy: { userVerification: 'required' } },
    edits: { authenticatorData: clearFlags(FLAG.uv) },
    code: 'user_not_verified',
    step: 'user-verified',
  },
  {
    what: 'backup-state-without-eligibility',
    title: 'backed up, but not eligible for it',
    edits: { authenticatorData: setFlags(FLAG.bs) },
    code: 'backup_state_invalid',
    step: 'backup-flags',
  },
  {
    what: 'authenticator-data-cut',
    title: 'authenticator data that ends within the counter',
    edits: { authenticatorData: cutTo(35) },
    code: 'authenticator_data_malformed',
  },
  {
    what: 'authenticator-data-trailing-byte',
    title: 'a byte after the authenticator data',
    edits: { authenticatorData: appendByte(0) },
    code: 'authenticator_data_malformed',
  },
];

function bothCeremonies({ what, code, step, endpoint = 'login', ...common }: Row): Case[] {
  return [
    registrationCase({ ...common, id: `register.${what}`, expected: refused(code, step) }),
    authenticationCase({ ...common, id: `${endpoint}.${what}`, endpoint, expected: denied(code, step) }),
  ];
}

/** Invalid in the same way at registration and at authentication. */
export const INVALID_CEREMONIES: readonly Case[] = [...CLIENT_DATA, ...AUTHENTICATOR_DATA].flatMap(bothCeremonies);
