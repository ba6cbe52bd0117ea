import { asObject } from '../../kernel/json-value.js';
import { timestamp } from '../../kernel/schema-kit.js';
import { makeShape } from '../../kernel/shape.js';
import { decodeBase64, encodeBase64 } from '../../webauthn/base64url.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import type { Answer } from '../target/driver.js';
import type { Case } from './case.js';
import { readId } from './ceremony.js';
import {
  type AuthenticationAttempt,
  type AuthenticationSpec,
  authenticationCase,
  type EditsFor,
  type EitherAttempt,
  findRpId,
  type RegistrationAttempt,
  type RegistrationSpec,
  registrationCase,
} from './ceremony-cases.js';
import type { CaseContext } from './context.js';
import type { CommonEdits } from './edits.js';
import { ACCEPTED, denied, expectTrue, refused } from './outcome.js';
import type { Mismatch } from './report.js';

/** A ceremony of either kind, as far as edits ask for it. */
export interface EitherCeremony {
  readonly ceremony: CeremonyKind;
  readonly context: CaseContext;
  readonly rpId: string;
}

type Described = 'title' | 'browser' | 'wants' | 'rule' | 'why' | 'tags' | 'disputed' | 'origin' | 'needs';

/** A row that makes a case of a registration and one of an authentication. */
interface CommonRow extends Pick<AuthenticationSpec, Described> {
  /** Last part of both ids. */
  readonly what: string;
  readonly edits?: EditsFor<EitherCeremony, CommonEdits>;
  readonly beforeSending?: (attempt: EitherAttempt) => unknown;
}

/** A fault that both can have. */
export interface FaultRow extends CommonRow {
  /** Which endpoint of our own API takes the authentication; default `login`. */
  readonly endpoint?: 'verify';
  readonly code: string;
  /** Slug, or one for each procedure. */
  readonly step?: string | { readonly registration: string; readonly authentication: string };
}

/** Something that conforms, and that both can have. */
export interface AcceptedRow extends CommonRow {
  /** Slug. */
  readonly step?: string;
}

/** The two cases of a fault. */
export function bothRefused({ what, code, step, endpoint, edits, ...common }: FaultRow): Case[] {
  const steps = typeof step === 'object' ? step : { registration: step, authentication: step };
  const wants = { ...common.wants, ...(endpoint !== undefined && { endpoint }) };
  return [
    registrationCase({ ...common, ...registrationEdits(edits), id: `register.${what}`, expected: refused(code, steps.registration) }),
    authenticationCase({
      ...common,
      ...loginEdits(edits),
      wants,
      id: `${endpoint ?? 'login'}.${what}`,
      expected: denied(code, steps.authentication),
    }),
  ];
}

/** The two cases of something that conforms. */
export function bothAccepted({ what, edits, ...common }: AcceptedRow): Case[] {
  return [
    acceptedRegistration({ ...common, ...registrationEdits(edits), id: `register.${what}` }),
    acceptedLogin({ ...common, ...loginEdits(edits), id: `login.${what}` }),
  ];
}

function registrationEdits(edits: CommonRow['edits']): Pick<RegistrationSpec, 'edits'> {
  if (typeof edits !== 'function') return edits === undefined ? {} : { edits };
  return { edits: ({ context, options }) => edits({ ceremony: 'registration', context, rpId: findRpId(context, options.rp.id) }) };
}

function loginEdits(edits: CommonRow['edits']): Pick<AuthenticationSpec, 'edits'> {
  if (typeof edits !== 'function') return edits === undefined ? {} : { edits };
  return { edits: ({ context, options }) => edits({ ceremony: 'authentication', context, rpId: findRpId(context, options.rpId) }) };
}

/** A registration that succeeds; by default its answer is checked member by member. */
export function acceptedRegistration(spec: Omit<RegistrationSpec, 'expected'>): Case {
  return registrationCase({ check: checkRegisterAnswer, ...spec, expected: ACCEPTED });
}

type AcceptedAuthentication = Omit<AuthenticationSpec, 'expected' | 'check'>;

export function acceptedLogin(spec: AcceptedAuthentication): Case {
  return authenticationCase({ ...spec, expected: ACCEPTED, check: checkLoginAnswer });
}

export function acceptedVerification(spec: AcceptedAuthentication): Case {
  return authenticationCase({ ...spec, wants: { ...spec.wants, endpoint: 'verify' }, expected: ACCEPTED, check: checkVerifyAnswer });
}

const isId = (value: unknown) => Number.isInteger(value) && Number(value) > 0;

/** Exactly these members. */
function checkRegisterAnswer(answer: Answer, { body }: RegistrationAttempt): Mismatch[] {
  const { passkey, ...others } = asObject(answer.json);
  const { id, label, credential_id: credentialId, created_at: createdAt, ...more } = asObject(passkey);
  const wanted = encodeBase64(decodeBase64(String(body.id))?.bytes ?? new Uint8Array());
  const unknown = Object.keys({ ...others, ...more });
  return [
    expectTrue('passkey.id', 'a positive integer', id, isId(id)),
    expectTrue('passkey.label', 'a string', label, typeof label === 'string'),
    expectTrue('passkey.credential_id', wanted, credentialId, credentialId === wanted),
    expectTrue('passkey.created_at', 'UTC with six fraction digits', createdAt, makeShape(timestamp).fits(createdAt)),
    expectTrue('members', 'passkey with id, label, credential_id, created_at', unknown, unknown.length === 0),
  ].flat();
}

/** Exactly the owner and the passkey. */
function checkVerifyAnswer(answer: Answer, { passkey }: AuthenticationAttempt): Mismatch[] {
  const { passkeeable_id: ownerId, passkeeable_type: ownerType, passkey: received, ...others } = asObject(answer.json);
  const wanted = JSON.stringify({ id: readId(passkey) });
  const unknown = Object.keys(others);
  return [
    expectTrue('passkeeable_id', 'a positive integer', ownerId, isId(ownerId)),
    expectTrue('passkeeable_type', 'a type name', ownerType, typeof ownerType === 'string' && ownerType !== ''),
    expectTrue('passkey', wanted, received, JSON.stringify(received) === wanted),
    expectTrue('members', 'no others', unknown, unknown.length === 0),
  ].flat();
}

/** The members that every auth action gives. */
function checkLoginAnswer(answer: Answer): Mismatch[] {
  const { id, name, email } = asObject(asObject(answer.json).user);
  return [
    expectTrue('user.id', 'a positive integer', id, isId(id)),
    expectTrue('user.name', 'a string', name, typeof name === 'string'),
    expectTrue('user.email', 'a string', email, typeof email === 'string'),
  ].flat();
}
