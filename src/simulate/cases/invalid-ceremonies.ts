import { FLAG } from '../../webauthn/authenticator-data.js';
import type { Case } from '../engine/case.js';
import { type AuthenticationSpec, authenticationCase, registrationCase } from '../engine/ceremony-cases.js';
import { denied, refused } from '../engine/compare-answer.js';
import { appendByte, type CommonEdits, clearFlags, cutTo, editOrigin, flipBit, otherPort, setFlags } from '../engine/edits.js';

/** One fault that a registration and an authentication can both have. */
interface Row extends Pick<AuthenticationSpec, 'title' | 'browser' | 'wants'> {
  /** Last part of both ids. */
  readonly what: string;
  readonly edits?: CommonEdits;
  /** Which endpoint takes the authentication; default `login`. */
  readonly endpoint?: 'verify' | 'login';
  readonly code: string;
  readonly step?: string;
}

const CLIENT_DATA: readonly Row[] = [
  {
    what: 'client-data-cut',
    title: 'client data that is not JSON',
    edits: { clientData: (text) => text.slice(0, -1) },
    code: 'client_data_malformed',
    step: 'client-data',
  },
  {
    what: 'origin-other-port',
    title: 'a page on another port of the same host',
    browser: { page: { origin: otherPort } },
    code: 'origin_mismatch',
    step: 'origin',
  },
  {
    what: 'origin-longer-host',
    title: 'a host that only starts with the expected one',
    edits: { clientData: editOrigin((origin) => origin.replace(/^(https?:\/\/[^:/]+)/, '$1.example')) },
    endpoint: 'verify',
    code: 'origin_mismatch',
    step: 'origin',
  },
  {
    what: 'cross-origin',
    title: 'a page in an iframe of another origin',
    browser: { page: { crossOrigin: true } },
    code: 'cross_origin_not_allowed',
    step: 'cross-origin',
  },
  {
    what: 'top-origin-other',
    title: 'an iframe under a top-level origin that is not allowed',
    wants: { topOrigin: true },
    browser: { page: { topOrigin: 'https://other.example' } },
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
    title: 'no user presence',
    edits: { authenticatorData: clearFlags(FLAG.up) },
    code: 'user_not_present',
    step: 'user-present',
  },
  {
    what: 'user-not-verified',
    title: 'user verification required but not performed',
    wants: { userVerification: 'required' },
    edits: { authenticatorData: clearFlags(FLAG.uv) },
    code: 'user_not_verified',
    step: 'user-verified',
  },
  {
    what: 'backup-state-without-eligibility',
    title: 'backed up, but not backup eligible',
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

const at = (endpoint: 'verify' | 'login') => (endpoint === 'verify' ? { endpoint } : {});

function bothCeremonies({ what, code, step, endpoint = 'login', ...common }: Row): Case[] {
  return [
    registrationCase({ ...common, id: `register.${what}`, expected: refused(code, step) }),
    authenticationCase({ ...common, wants: { ...common.wants, ...at(endpoint) }, id: `${endpoint}.${what}`, expected: denied(code, step) }),
  ];
}

/** Faults that either ceremony can have. */
export const INVALID_CEREMONIES: readonly Case[] = [...CLIENT_DATA, ...AUTHENTICATOR_DATA].flatMap(bothCeremonies);
