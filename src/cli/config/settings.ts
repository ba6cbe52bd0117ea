import { isNameBeginning, NAME_BEGINNING } from '../../fixture/name.js';
import { DEFAULT_MAX_PASSKEYS } from '../../kernel/limits.js';
import { MAX_OWNER_TYPE_BYTES } from '../../kernel/owner.js';
import { spellFlag } from '../../kernel/wording.js';
import { ATTESTATION_CONVEYANCES, REQUIREMENT_LEVELS, SELF_ATTESTATION_RULES } from '../../webauthn/enumerations.js';
import { USER_HANDLE_KINDS } from '../../webauthn/user-handle.js';
import type { Source } from '../flag.js';
import { duration, integer, type Kind, list, oneOf, parsed, path, text, toggle, type ValueOf } from './values.js';
import { algorithm, allowedHost, countOrOff, frontEnd, hostName, origin, storeLocation } from './webauthn-values.js';

/** A setting with a flag, a `PASSKEY_*` variable, a key in the configuration file, and possibly a default. */
export interface Setting<T> {
  readonly kind: Kind<T>;
  readonly about: string;
  readonly fallback?: T;
  /** Describes the default in `--help`, if the value `fallback` itself is not readable. */
  readonly otherwise?: string;
  /** Short form of the flag, which has one letter. */
  readonly short?: string;
  /** Source of the values that completion suggests, if the setting has no fixed choices. */
  readonly completes?: Source;
  /** Set if the setting can only be given by its flag, and not by a variable or in the configuration file. */
  readonly flagOnly?: true;
}

const DAY = 86_400_000;
const ALGORITHM_LIST: Source = { words: 'algorithms', several: true };

const setting = <K extends Kind<unknown>>(kind: K, about: string, otherwise?: string) => ({
  kind,
  about,
  ...(otherwise ? { otherwise } : {}),
});
const settingOr = <K extends Kind<unknown>>(kind: K, fallback: ValueOf<K>, about: string) => ({ kind, about, fallback });

/** Settings of every command that opens the store. */
export const STORE_SETTINGS = {
  store: settingOr(
    parsed({ placeholder: 'location', expects: 'a path, postgres://… or memory:', parse: storeLocation }),
    '.passkey/passkeys.jsonl',
    'file or postgres://… database that keeps passkeys, users and tokens',
  ),
  ownerType: settingOr(
    text({
      placeholder: 'type',
      expects: `a type name of 1 to ${MAX_OWNER_TYPE_BYTES} bytes`,
      accept: (value) => new TextEncoder().encode(value).length <= MAX_OWNER_TYPE_BYTES,
    }),
    'User',
    'default type of users (passkeeable_type in the API)',
  ),
};

/** Settings of every command that keeps private keys of software credentials. The store of the relying party is not among them. */
export const CREDENTIAL_SETTINGS = {
  credentials: settingOr(path('file'), '.passkey/credentials.json', 'file that keeps the private keys of credentials'),
};

export const SERVE_SETTINGS = {
  port: { ...settingOr(integer({ min: 0, max: 65_535, what: 'a port' }), 7277, 'port to listen on; 0 picks a free port'), short: 'p' },
  host: settingOr(
    parsed({ placeholder: 'address', expects: 'a host name or IP address', parse: hostName }),
    'localhost',
    'address to listen on; localhost accepts only this machine',
  ),
  cert: setting(path('file'), 'certificate in PEM, followed by its intermediate certificates, to serve https; needs --key'),
  key: setting(path('file'), 'private key of --cert, in PEM'),
  allowedHost: setting(
    list(parsed({ placeholder: 'name', expects: 'a host name or IP address', parse: allowedHost })),
    'additional Host headers to accept (behind a proxy, on a network)',
  ),
  ...STORE_SETTINGS,
  store: {
    ...STORE_SETTINGS.store,
    about: `${STORE_SETTINGS.store.about}, or memory: for a store that ends with the server`,
  },
  credentials: setting(
    path('file'),
    'file with the private keys of the passkeys that POST /dev/answer makes, for tests only',
    'credentials.json next to the store file; in memory with any other store',
  ),
  origin: setting(
    list(parsed({ placeholder: 'url', expects: 'an http or https origin such as https://example.com', parse: origin })),
    'origins that ceremonies may come from; their pages may also call the API (CORS)',
    'any',
  ),
  app: setting(
    parsed({ placeholder: 'dir|url', expects: 'a folder, or the URL of a dev server', parse: frontEnd }),
    'front end to serve on the same origin: a folder, or a dev server with its WebSocket; the test page moves to /dev',
    'only the test page',
  ),
  wellKnown: setting(
    path('dir'),
    'directory with webauthn, passkey-endpoints, assetlinks.json or apple-app-site-association, to serve at /.well-known/',
  ),
  authAction: {
    ...settingOr(
      parsed({
        placeholder: 'action',
        expects: 'session, token, expiring_token or the path of a module',
        parse: (raw, source) => (raw === 'session' || raw === 'token' || raw === 'expiring_token' ? raw : path('module').read(raw, source)),
      }),
      'session',
      'what a login returns: session, token, expiring_token or the result of a module',
    ),
    completes: { words: ['session', 'token', 'expiring_token'], shell: 'files' } as const,
  },
  userHandle: settingOr(oneOf(USER_HANDLE_KINDS), 'id', 'user.id of new users (development sign-in always makes random ones)'),
  record: setting(path('dir'), 'write one fixture for each finished ceremony into this directory'),
  recordName: setting(
    text({ placeholder: 'name', expects: NAME_BEGINNING, accept: isNameBeginning }),
    'prefix for the names of these fixtures; kind and error code follow',
    'the time',
  ),
  trustProxy: settingOr(toggle, false, 'take the client address, host and scheme from the X-Forwarded-* headers of the nearest proxy'),
  devSignIn: settingOr(
    oneOf(['local', 'key', 'off']),
    'local',
    'who may use development sign-in, as any user: any local browser, or with key only one that opens the URL that serve prints',
  ),
  rateLimit: settingOr(
    parsed({ placeholder: 'number|off', expects: 'requests per minute and address (1 or more), or off', parse: countOrOff }),
    120,
    'requests per minute and address on public endpoints, or off, which also lifts the 30 registrations per minute and user of production mode; loopback is not limited in development mode',
  ),
  maxPasskeys: settingOr(
    parsed({ placeholder: 'number|off', expects: 'live passkeys per user (1 or more), or off', parse: countOrOff }),
    DEFAULT_MAX_PASSKEYS,
    'live passkeys that one user may have, or off',
  ),
  production: settingOr(toggle, false, 'production mode: no test page, no details in problems, rate limit'),
  fidoApi: settingOr(toggle, false, 'also answer the endpoints of the FIDO conformance tools; development mode only'),
  open: settingOr(toggle, true, 'open the test page in a browser'),
  logLevel: settingOr(oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), 'info', 'lowest level to log'),
  bodyLimit: settingOr(
    integer({ min: 1024, max: 64 * 1024 * 1024, placeholder: 'bytes', what: 'a number of bytes' }),
    65_536,
    'largest request body accepted',
  ),
  sessionTtl: settingOr(duration({ max: 3650 * DAY }), DAY, 'lifetime of a session'),
  sessionIdle: settingOr(duration({ max: 3650 * DAY }), DAY / 2, 'idle time after which a session ends'),
  tokenTtl: settingOr(duration({ max: 3650 * DAY }), DAY, 'lifetime of a token of the auth action expiring_token'),
  algorithms: {
    ...setting(list(algorithm), 'algorithms offered, most preferred first, by name or number', 'ES256,RS256'),
    completes: ALGORITHM_LIST,
  },
  attestation: settingOr(oneOf(ATTESTATION_CONVEYANCES), 'none', 'attestation conveyance requested'),
  userVerification: settingOr(oneOf(REQUIREMENT_LEVELS), 'preferred', 'user verification requested'),
  residentKey: settingOr(oneOf(REQUIREMENT_LEVELS), 'preferred', 'discoverable credentials requested'),
  attestationRoots: setting(
    list(path('file')),
    'root certificates that attestations must chain to: PEM, DER or a folder of them; needs --attestation direct or enterprise',
    'trust is not assessed',
  ),
  selfAttestation: settingOr(
    oneOf(SELF_ATTESTATION_RULES),
    'accept',
    'how to treat registrations with self attestation, which no root can confirm',
  ),
  metadata: setting(
    path('file'),
    'FIDO metadata BLOB: adds the roots of its models, and refuses models reported as revoked or compromised; needs --metadata-root, and --attestation direct or enterprise',
  ),
  metadataRoot: setting(
    list(path('file')),
    'root certificate that the BLOB must chain to; GlobalSign Root R3 for the BLOB of the FIDO Alliance',
  ),
  topOrigin: setting(
    list(parsed({ placeholder: 'url', expects: 'an http or https origin such as https://example.com', parse: origin })),
    'top-level origins that may embed a ceremony in a cross-origin frame',
    'none',
  ),
  timeout: settingOr(duration({ max: DAY }), 60_000, 'time that the client has for a ceremony'),
  challengeTtl: setting(duration({ max: DAY }), 'time for which a challenge is valid', 'twice the timeout'),
};

const { open: _, ...WITHOUT_PAGE } = SERVE_SETTINGS;

/**
 * Settings of `passkey exec`. This command always starts a new server on its own port, so the configuration of `passkey serve` does not
 * apply.
 */
export const EXEC_SETTINGS = {
  ...WITHOUT_PAGE,
  port: { ...SERVE_SETTINGS.port, fallback: 0, about: 'port to listen on', otherwise: 'a free port', flagOnly: true as const },
  store: {
    ...SERVE_SETTINGS.store,
    fallback: 'memory:',
    about: `${STORE_SETTINGS.store.about}, instead of memory`,
    otherwise: 'memory:',
    flagOnly: true as const,
  },
  logLevel: { ...SERVE_SETTINGS.logLevel, fallback: 'error' as const },
};

/** All settings that the configuration file may contain. */
export const CONFIG_SETTINGS = { ...SERVE_SETTINGS, ...CREDENTIAL_SETTINGS };

/** The type of the values in a table of settings. Only a setting without a default may be undefined. */
export type Resolved<T extends Readonly<Record<string, Setting<unknown>>>> = {
  readonly [K in keyof T]: T[K] extends { readonly fallback: unknown } ? ValueOf<T[K]['kind']> : ValueOf<T[K]['kind']> | undefined;
};

const STORE_HEADING = 'Store and configuration:';

/** Headings in the help, each with the settings that are listed below it. */
const HEADINGS: Readonly<Record<string, readonly (keyof typeof CONFIG_SETTINGS)[]>> = {
  'Address and limits:': ['port', 'host', 'cert', 'key', 'allowedHost', 'trustProxy', 'rateLimit', 'bodyLimit'],
  'Ceremonies:': [
    'origin',
    'topOrigin',
    'algorithms',
    'attestation',
    'userVerification',
    'residentKey',
    'userHandle',
    'maxPasskeys',
    'timeout',
    'challengeTtl',
  ],
  'Trust in attestations:': ['attestationRoots', 'selfAttestation', 'metadata', 'metadataRoot'],
  'Sign-in:': ['authAction', 'sessionTtl', 'sessionIdle', 'tokenTtl', 'devSignIn'],
  'Pages and modes:': ['app', 'wellKnown', 'open', 'production', 'fidoApi'],
  'Recording and log:': ['record', 'recordName', 'logLevel'],
  [STORE_HEADING]: ['store', 'ownerType', 'credentials'],
};

/** Finds the heading below which a setting is listed, both in the help and in the documentation of the configuration file. */
export const findHeading = (key: string): string =>
  Object.entries(HEADINGS).find(([, keys]) => keys.some((each) => each === key))?.[0] ?? STORE_HEADING;

export type StoreSettings = Resolved<typeof STORE_SETTINGS>;
export type CredentialSettings = Resolved<typeof CREDENTIAL_SETTINGS>;
export type ServeSettings = Resolved<typeof SERVE_SETTINGS>;
/** Settings of a server, except `open`, which only {@link ServeSettings} has. */
export type ExecSettings = Omit<ServeSettings, 'open'>;

/** Checks whether a setting is a switch that is on by default. Its flag then turns it off. */
export const isOn = ({ kind, fallback }: Setting<unknown>): boolean => kind === toggle && fallback === true;

/** Makes the name of the flag that turns a switch off: `open` → `noOpen`. */
export const negate = (key: string): string => `no${key.charAt(0).toUpperCase()}${key.slice(1)}`;

/**
 * Makes the flag of a setting: `allowedHost` → `--allowed-host`. A switch that is on by default has a negative flag: `open` → `--no-open`.
 */
export const nameFlag = (key: string, entry: Setting<unknown>): string => spellFlag(isOn(entry) ? negate(key) : key);

/** Makes the name of a setting's environment variable: `allowedHost` → `PASSKEY_ALLOWED_HOST`. */
export function nameVariable(key: string): string {
  return `PASSKEY_${spellFlag(key).slice(2).replaceAll('-', '_').toUpperCase()}`;
}
