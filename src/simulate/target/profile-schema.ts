import type { Static } from 'typebox';
import * as Type from 'typebox';
import { escapePointer } from '../../kernel/json-location.js';
import { strict } from '../../kernel/schema-kit.js';
import { REQUIREMENT_LEVELS } from '../../webauthn/enumerations.js';

const Texts = Type.Record(Type.String(), Type.String());
const Source = 'a source with filters, e.g. "json user.id | string"';
const Matchers = Type.Record(Type.String({ description: Source }), Type.Unknown({ description: 'a value, a list of values, "*" or "-"' }));
const Judgement = Type.Union([Matchers, Type.Array(Matchers, { minItems: 1 })]);

const RequestSchema = Type.Object(
  {
    request: Type.Optional(Type.String({ description: 'method and path or URL, e.g. "POST /login?user={user.name}"' })),
    value: Type.Optional(Type.Unknown({ description: 'instead of a request: a template whose result is read like a response' })),
    exec: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: 'instead of a request: a command and its arguments' })),
    headers: Type.Optional(Texts),
    json: Type.Optional(Type.Unknown({ description: 'body: a template' })),
    form: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'body of an HTML form: templates' })),
    multipart: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'body of an HTML form with files: templates' })),
    cbor: Type.Optional(Type.Unknown({ description: 'body: a template, sent as CBOR; the filter binary makes byte strings' })),
    text: Type.Optional(Type.String({ description: 'body: a template' })),
    take: Type.Optional(Type.Record(Type.String(), Type.String({ description: Source }))),
    accept: Type.Optional(Judgement),
    refuse: Type.Optional(Judgement),
    if: Type.Optional(Type.String({ description: 'an expression; the request is made only if it has a value' })),
    unless: Type.Optional(Type.String({ description: 'an expression; the request is made only if it has no value' })),
    follow: Type.Optional(
      Type.Union([Type.Boolean(), Type.String()], {
        description:
          'whether to follow redirects as a browser does; a string is a template for the beginning of the URL or path at which to stop',
      }),
    ),
  },
  strict,
);

const Requests = Type.Optional(Type.Array(RequestSchema));
const SomeRequests = Type.Array(RequestSchema, { minItems: 1 });
const asks = ['userVerification', 'attestation', 'residentKey', 'algorithms', 'extensions', 'origin', 'endpoint'] as const;

/** Possible outcomes of a case on which correct relying parties differ. */
const DECISIONS = ['accepted', 'refused'] as const;

/** Ways in which a target may compare origins (§13.4.9), the strictest first. */
export const ORIGIN_MATCHES = ['exact', 'parsed', 'subdomains'] as const;

/** Changes to passkeys for which a target may require a fresh sign-in. */
const FRESH_FOR = ['add', 'remove', 'rename'] as const;

const PolicySchema = Type.Object(
  {
    freshSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'seconds after a sign-in in which the user may make the changes in freshFor without stepUp',
      }),
    ),
    freshFor: Type.Optional(
      Type.Array(Type.Enum([...FRESH_FOR]), { description: 'changes that require a fresh sign-in; default: add and remove' }),
    ),
    stepUp: Type.Optional(
      Type.Enum(['verified', 'present'], {
        description: 'whether a step-up with a passkey needs user verification if its options do not require it',
      }),
    ),
    lastPasskey: Type.Optional(Type.Enum(['kept', 'removed'], { description: 'whether users can remove their last passkey' })),
    removedSessions: Type.Optional(
      Type.Enum(['ended', 'kept'], { description: 'what happens to the sessions that a passkey has opened when the passkey is removed' }),
    ),
    recoveryEnds: Type.Optional(
      Type.Array(Type.Enum(['passkeys', 'sessions', 'password', 'codes']), {
        description: 'what a recovery invalidates: earlier passkeys, sessions and password, and other recovery codes',
      }),
    ),
    recoverySeconds: Type.Optional(Type.Integer({ minimum: 1, description: 'seconds in which a requested recovery can be finished' })),
    passwordOpens: Type.Optional(
      Type.Array(Type.Enum(['session', 'add', 'remove']), {
        description: 'what a password alone allows if the user has a passkey: opening a session, and adding or removing a passkey in it',
      }),
    ),
    signOutEnds: Type.Optional(
      Type.Enum(['session', 'sessions'], { description: 'whether signing out ends one session or all sessions of the user' }),
    ),
    unknownUsers: Type.Optional(Type.Enum(['hidden', 'told'], { description: 'whether responses reveal which users exist' })),
  },
  {
    ...strict,
    description:
      'how the target handles accounts in matters on which correct targets differ; cases about matters that are not stated do not run',
  },
);

const AAGUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const CapabilitiesSchema = Type.Object(
  {
    users: Type.Optional(
      Type.Union([Type.Literal('any'), Type.Integer({ minimum: 1 })], { description: 'maximum number of users in a run; default: any' }),
    ),
    passkeys: Type.Optional(Type.Integer({ minimum: 1, description: 'maximum number of passkeys of one user; default: any number' })),
    logins: Type.Optional(Type.Array(Type.Enum(['named', 'discoverable']), { minItems: 1 })),
    formats: Type.Optional(
      Type.Array(Type.String(), { description: 'attestation statement formats that the target accepts; default: none' }),
    ),
    trust: Type.Optional(
      Type.Enum(['test', 'none', 'other'], {
        description:
          'whether the target trusts the root of `passkey attestation-root` (test), accepts certificates that lead to no root (none), or refuses them because it trusts other roots or no root at all (other); default: none',
      }),
    ),
    models: Type.Optional(
      Type.Array(Type.String({ pattern: AAGUID }), {
        minItems: 1,
        description: 'AAGUIDs of the authenticators that the target accepts; the software authenticator uses the first; default: any',
      }),
    ),
    selfAttestation: Type.Optional(
      Type.Boolean({ description: 'whether the target accepts self attestation when it requests attestation; default: true' }),
    ),
    algorithms: Type.Optional(
      Type.Array(Type.Integer(), { description: 'COSE algorithms that the target supports; default: those that its options offer' }),
    ),
    asks: Type.Optional(
      Type.Array(Type.Enum(asks), { description: 'what requests of the profile can ask the target for; default: nothing' }),
    ),
    userVerification: Type.Optional(Type.Enum([...REQUIREMENT_LEVELS])),
    challengeSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'lifetime of a challenge in seconds' })),
    origins: Type.Optional(Type.Array(Type.String(), { description: 'additional origins that the target accepts' })),
    originMatch: Type.Optional(
      Type.Enum([...ORIGIN_MATCHES], {
        description: 'how the target compares origins: as text, as parsed URLs, or with all subdomains of its RP ID; default: exact',
      }),
    ),
    afterRefusal: Type.Optional(
      Type.Enum(['spent', 'kept'], { description: 'what happens to a challenge after a refused response; default: spent' }),
    ),
    topOrigins: Type.Optional(Type.Array(Type.String(), { description: 'top-level origins that the target accepts' })),
    counter: Type.Optional(
      Type.Enum(['refuse', 'ignore', 'required'], {
        description:
          'whether the target refuses a sign count that did not increase (refuse), accepts it (ignore), or also refuses authenticators that do not count (required); default: refuse',
      }),
    ),
    publicKeys: Type.Optional(
      Type.Enum(['unchecked', 'checked', 'strict'], {
        description:
          'whether the target refuses a public key that its algorithm cannot use (checked), or also one that is weak or has additional members (strict); default: checked',
      }),
    ),
    decides: Type.Optional(
      Type.Record(Type.String(), Type.Enum([...DECISIONS]), {
        description: 'how the target decides cases on which correct relying parties differ, by case ID; other such cases do not run',
      }),
    ),
    policy: Type.Optional(PolicySchema),
    codes: Type.Optional(Type.Boolean({ description: 'whether the target names failed checks as passkey does' })),
    steps: Type.Optional(Type.Boolean({ description: 'whether the target names failed steps as passkey does' })),
  },
  { ...strict, description: 'what the target offers; cases that need more are not applicable' },
);

/** Ways to enter an account, other than a login, that a gate may block. A gate is a state of the user, e.g. locked. */
const STOPPED = ['verify', 'sessions', 'registration', 'recovery'] as const;

const GateSchema = Type.Object(
  {
    set: SomeRequests,
    lift: SomeRequests,
    stops: Type.Optional(
      Type.Array(Type.Enum([...STOPPED]), {
        description:
          'what the gate blocks besides a login: verify (an authentication without a session), open sessions, registration of a passkey in them, and recovery; cases about anything that is not listed do not run',
      }),
    ),
  },
  strict,
);

const LibrarySchema = Type.Object(
  {
    name: Type.String({ description: 'name of the library in its package registry, e.g. @simplewebauthn/server' }),
    version: Type.Optional(
      Type.String({
        pattern: '^\\d+(?:\\.\\d+){0,2}$',
        description: 'version of the library, e.g. 14.0.3; needed if the project has none installed, or several',
      }),
    ),
  },
  { ...strict, description: 'the WebAuthn library that the target uses' },
);

/** Schema of a profile, which describes how to talk to one kind of relying party; published as `passkey-target-profile.schema.json`. */
export const targetProfileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    format: Type.Literal('passkey-target-profile'),
    version: Type.Literal(1),
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    library: Type.Optional(LibrarySchema),
    variables: Type.Optional(Texts),
    origin: Type.Optional(Type.String()),
    has: Type.Optional(CapabilitiesSchema),
    skip: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1 }), { description: 'cases that do not run: the reason for each, by case ID' }),
    ),
    account: Requests,
    registrationOptions: SomeRequests,
    register: SomeRequests,
    authenticationOptions: SomeRequests,
    authenticate: SomeRequests,
    whoami: Requests,
    list: Requests,
    rename: Requests,
    remove: Requests,
    signOut: Requests,
    password: Requests,
    stepUp: Requests,
    recover: Requests,
    cleanup: Requests,
    gates: Type.Optional(
      Type.Record(Type.String(), GateSchema, {
        description:
          'states in which a user cannot sign in, such as locked, disabled and unverified, each with the steps that set and lift it',
      }),
    ),
  },
  strict,
);

export type ProfileRequest = Static<typeof RequestSchema>;
export type TargetCapabilities = Static<typeof CapabilitiesSchema>;

/** Reads the maximum number of users in a run from the target's capabilities. */
export const countUsers = ({ users = 'any' }: TargetCapabilities): number => (users === 'any' ? Number.POSITIVE_INFINITY : users);
export type OriginMatch = (typeof ORIGIN_MATCHES)[number];
export type TargetProfile = Static<typeof targetProfileSchema>;

/** Names of the lists of requests in a profile, in the order in which a run uses them. */
export const PHASES = [
  'account',
  'registrationOptions',
  'register',
  'authenticationOptions',
  'authenticate',
  'whoami',
  'list',
  'rename',
  'remove',
  'signOut',
  'password',
  'stepUp',
  'recover',
  'cleanup',
] as const satisfies readonly (keyof TargetProfile)[];

export type Phase = (typeof PHASES)[number];

/** Name of the list of requests that sets or lifts a gate, e.g. `gates/locked/set`. */
export type GateList = `gates/${string}/${GateAct}`;
export type GateAct = 'set' | 'lift';

/** A way to enter an account, other than a login, that a gate may block. */
type Stopped = (typeof STOPPED)[number];

/** A state in which a user cannot sign in, e.g. locked or disabled, as the profile describes it. */
export interface Gate {
  readonly name: string;
  readonly stops: readonly Stopped[];
}

export const listGates = ({ gates = {} }: TargetProfile): readonly Gate[] =>
  Object.entries(gates).map(([name, { stops = [] }]) => ({ name, stops }));

export const toGateList = (name: string, act: GateAct): GateList => `gates/${escapePointer(name)}/${act}`;

type Listed<List> = readonly (readonly [list: List, requests: readonly ProfileRequest[]])[];

/** Lists the requests that set and lift the gates of a profile. */
export const listGateRequests = ({ gates = {} }: TargetProfile): Listed<GateList> =>
  Object.entries(gates).flatMap(([name, { set, lift }]) => [
    [toGateList(name, 'set'), set] as const,
    [toGateList(name, 'lift'), lift] as const,
  ]);

/** Lists all requests of a profile, grouped by the name of their list. */
export const listRequests = (profile: TargetProfile): Listed<Phase | GateList> => [
  ...PHASES.map((phase) => [phase, profile[phase] ?? []] as const),
  ...listGateRequests(profile),
];
