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
    value: Type.Optional(Type.Unknown({ description: 'instead of a request: a template; what it becomes is read like an answer' })),
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
        description: 'follow redirects as a browser does; a text, a template: up to the URL or path that begins with it',
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

/** Ways in which a target compares origins (§13.4.9), the strictest first. */
export const ORIGIN_MATCHES = ['exact', 'parsed', 'subdomains'] as const;

/** Changes to passkeys for which a target may require a fresh sign-in. */
const FRESH_FOR = ['add', 'remove', 'rename'] as const;

const PolicySchema = Type.Object(
  {
    freshSeconds: Type.Optional(
      Type.Integer({ minimum: 1, description: 'how long after a sign-in its user may do what freshFor says without stepUp' }),
    ),
    freshFor: Type.Optional(
      Type.Array(Type.Enum([...FRESH_FOR]), { description: 'changes that need a fresh sign-in; default: add and remove' }),
    ),
    stepUp: Type.Optional(
      Type.Enum(['verified', 'present'], {
        description: 'whether a step-up by a passkey needs user verification, where its options do not require it',
      }),
    ),
    lastPasskey: Type.Optional(Type.Enum(['kept', 'removed'], { description: 'whether users can remove their last passkey' })),
    removedSessions: Type.Optional(
      Type.Enum(['ended', 'kept'], { description: 'what becomes of the sessions that a passkey has opened when it is removed' }),
    ),
    recoveryEnds: Type.Optional(
      Type.Array(Type.Enum(['passkeys', 'sessions', 'password', 'codes']), {
        description: 'what a recovery ends: passkeys, sessions and password from before, and other codes for a recovery',
      }),
    ),
    recoverySeconds: Type.Optional(Type.Integer({ minimum: 1, description: 'how long a recovery that was asked for can be finished' })),
    passwordOpens: Type.Optional(
      Type.Array(Type.Enum(['session', 'add', 'remove']), {
        description: 'what a password alone is enough for where the user has a passkey: a session, and to add or remove a passkey in it',
      }),
    ),
    signOutEnds: Type.Optional(
      Type.Enum(['session', 'sessions'], { description: 'whether signing out ends one session or all of the user' }),
    ),
    unknownUsers: Type.Optional(Type.Enum(['hidden', 'told'], { description: 'whether its answers tell which users exist' })),
  },
  { ...strict, description: 'what the target does with accounts where correct ones differ; cases about what is not said here do not run' },
);

const AAGUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const CapabilitiesSchema = Type.Object(
  {
    users: Type.Optional(
      Type.Union([Type.Literal('any'), Type.Integer({ minimum: 1 })], { description: 'most users of a run; default: any' }),
    ),
    passkeys: Type.Optional(Type.Integer({ minimum: 1, description: 'most passkeys of one user; default: any number' })),
    logins: Type.Optional(Type.Array(Type.Enum(['named', 'discoverable']), { minItems: 1 })),
    formats: Type.Optional(Type.Array(Type.String(), { description: 'attestation statement formats that it takes; default: none' })),
    trust: Type.Optional(
      Type.Enum(['test', 'none', 'other'], {
        description:
          'whether it trusts the root of `passkey attestation-root`, takes certificates that lead to no root (none), or refuses them because it has other roots or none at all (other); default: none',
      }),
    ),
    models: Type.Optional(
      Type.Array(Type.String({ pattern: AAGUID }), {
        minItems: 1,
        description: 'AAGUIDs of the authenticators that it takes, the first of which the software authenticator has; default: any',
      }),
    ),
    selfAttestation: Type.Optional(
      Type.Boolean({ description: 'whether it accepts self attestation where it asks for attestation; default: true' }),
    ),
    algorithms: Type.Optional(Type.Array(Type.Integer(), { description: 'COSE algorithms; default: what its options offer' })),
    asks: Type.Optional(Type.Array(Type.Enum(asks), { description: 'what its requests can ask for; default: nothing' })),
    userVerification: Type.Optional(Type.Enum([...REQUIREMENT_LEVELS])),
    challengeSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'lifetime of a challenge' })),
    origins: Type.Optional(Type.Array(Type.String(), { description: 'further origins that it accepts' })),
    originMatch: Type.Optional(
      Type.Enum([...ORIGIN_MATCHES], {
        description: 'how it compares origins: as text, as parsed URLs, or with all subdomains of its RP ID; default: exact',
      }),
    ),
    afterRefusal: Type.Optional(
      Type.Enum(['spent', 'kept'], { description: 'what becomes of the challenge of a refused response; default: spent' }),
    ),
    topOrigins: Type.Optional(Type.Array(Type.String(), { description: 'top-level origins that it accepts' })),
    counter: Type.Optional(
      Type.Enum(['refuse', 'ignore', 'required'], {
        description:
          'whether it refuses a sign count that did not grow, and (required) authenticators that do not count as well; default: refuse',
      }),
    ),
    publicKeys: Type.Optional(
      Type.Enum(['unchecked', 'checked', 'strict'], {
        description:
          'whether it refuses to register a public key that its algorithm cannot use, or (strict) one that is weak or has further members too; default: checked',
      }),
    ),
    decides: Type.Optional(
      Type.Record(Type.String(), Type.Enum([...DECISIONS]), {
        description: 'what it does in cases on which correct relying parties differ, by the id of the case; others of these do not run',
      }),
    ),
    policy: Type.Optional(PolicySchema),
    codes: Type.Optional(Type.Boolean({ description: 'whether it names failed checks as passkey does' })),
    steps: Type.Optional(Type.Boolean({ description: 'whether it names failed steps as passkey does' })),
  },
  { ...strict, description: 'what the target offers; cases that need more are not applicable' },
);

/** Ways to enter an account, apart from a login, that a gate may block. */
const STOPPED = ['verify', 'sessions', 'registration', 'recovery'] as const;

const GateSchema = Type.Object(
  {
    set: SomeRequests,
    lift: SomeRequests,
    stops: Type.Optional(
      Type.Array(Type.Enum([...STOPPED]), {
        description:
          'what it stops besides a login: verify (an authentication without a session), sessions that are open, registration of a passkey in them, and recovery; cases about what is not here do not run',
      }),
    ),
  },
  strict,
);

const LibrarySchema = Type.Object(
  {
    name: Type.String({ description: 'as its registry has it, e.g. @simplewebauthn/server' }),
    version: Type.Optional(
      Type.String({
        pattern: '^\\d+(?:\\.\\d+){0,2}$',
        description: 'e.g. 14.0.3, where the project in which passkey runs has none installed, or several',
      }),
    ),
  },
  { ...strict, description: 'the WebAuthn library that it uses' },
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
      Type.Record(Type.String(), Type.String({ minLength: 1 }), { description: 'cases that do not run, by id, each with the reason' }),
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

/** Returns the maximum number of users in a run. */
export const countUsers = ({ users = 'any' }: TargetCapabilities): number => (users === 'any' ? Number.POSITIVE_INFINITY : users);
export type OriginMatch = (typeof ORIGIN_MATCHES)[number];
export type TargetProfile = Static<typeof targetProfileSchema>;

/** Names of a profile's lists of requests, in the order of a run. */
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

/** Name of a gate's list of requests, e.g. `gates/locked/set`. */
export type GateList = `gates/${string}/${GateAct}`;
export type GateAct = 'set' | 'lift';

/** A way to enter an account, apart from a login, that a gate may block. */
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

/** Lists the requests that set and lift the profile's gates. */
export const listGateRequests = ({ gates = {} }: TargetProfile): Listed<GateList> =>
  Object.entries(gates).flatMap(([name, { set, lift }]) => [
    [toGateList(name, 'set'), set] as const,
    [toGateList(name, 'lift'), lift] as const,
  ]);

/** Lists all requests of a profile, each list with its name. */
export const listRequests = (profile: TargetProfile): Listed<Phase | GateList> => [
  ...PHASES.map((phase) => [phase, profile[phase] ?? []] as const),
  ...listGateRequests(profile),
];
