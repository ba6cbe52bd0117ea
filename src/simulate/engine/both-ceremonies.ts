import { acceptedLogin, acceptedRegistration } from './accepted-cases.js';
import type { Case } from './case.js';
import { type AuthenticationSpec, authenticationCase, type EditsFor, registrationCase, rpIdOf } from './ceremony-cases.js';
import type { CaseContext } from './context.js';
import type { CommonEdits } from './edits.js';
import { denied, refused } from './outcome.js';

/** A ceremony of either kind, as far as edits ask for it. */
export interface EitherCeremony {
  readonly context: CaseContext;
  readonly rpId: string;
}

/** One thing that a registration and an authentication can both have. */
interface CommonRow extends Pick<AuthenticationSpec, 'title' | 'browser' | 'wants' | 'rule' | 'why' | 'tags' | 'disputed' | 'origin'> {
  /** Last part of both ids. */
  readonly what: string;
  readonly edits?: EditsFor<EitherCeremony, CommonEdits>;
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
interface AcceptedRow extends CommonRow {
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

type Edits = CommonRow['edits'];

function registrationEdits(edits: Edits) {
  if (typeof edits !== 'function') return edits && { edits };
  type Options = { readonly rp: { readonly id?: string } };
  return {
    edits: ({ context, options }: { readonly context: CaseContext; readonly options: Options }) =>
      edits({ context, rpId: rpIdOf(context, options.rp.id) }),
  };
}

function loginEdits(edits: Edits) {
  if (typeof edits !== 'function') return edits && { edits };
  type Options = { readonly rpId?: string };
  return {
    edits: ({ context, options }: { readonly context: CaseContext; readonly options: Options }) =>
      edits({ context, rpId: rpIdOf(context, options.rpId) }),
  };
}
