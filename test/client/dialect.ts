/** Options with one member replaced, as servers send them: what Chromium makes of them stands in chromium-dialect.json. */

export const PAGE = 'https://login.example.com';
const CHALLENGE = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const DESCRIPTOR = { type: 'public-key', id: 'AAAAAAAAAAAAAAAAAAAAAA', transports: ['usb'] };
const SALTS = { first: 'AA', second: 'AA' };

export const CREATION = {
  rp: { id: 'example.com', name: 'Example' },
  user: { id: 'MQ', name: 'ada', displayName: 'Ada' },
  challenge: CHALLENGE,
  pubKeyCredParams: [
    { type: 'public-key', alg: -7 },
    { type: 'public-key', alg: -257 },
  ],
  timeout: 60_000,
  excludeCredentials: [DESCRIPTOR],
  authenticatorSelection: {
    authenticatorAttachment: 'platform',
    residentKey: 'required',
    requireResidentKey: false,
    userVerification: 'required',
  },
  hints: ['client-device'],
  attestation: 'none',
  attestationFormats: ['none'],
  extensions: {
    credProps: true,
    prf: { eval: SALTS },
    largeBlob: { support: 'preferred' },
    credentialProtectionPolicy: 'userVerificationRequired',
    enforceCredentialProtectionPolicy: true,
    minPinLength: true,
    credBlob: 'AAEC',
    hmacCreateSecret: true,
    appidExclude: 'https://example.com/appid.json',
    horoscope: { sign: 'Leo' },
  },
};

/** @param id of a credential that is there. */
export const requestFor = (id: string) => ({
  challenge: CHALLENGE,
  timeout: 60_000,
  rpId: 'example.com',
  allowCredentials: [DESCRIPTOR, { type: 'public-key', id }],
  userVerification: 'preferred',
  hints: ['client-device'],
  extensions: {
    appid: 'https://example.com/appid.json',
    prf: { eval: SALTS, evalByCredential: { [id]: SALTS } },
    largeBlob: { read: true },
    getCredBlob: true,
  },
});

export const CREATION_PATHS: readonly string[] = pathsOf(CREATION);
/** The path of a credential ID changes from run to run, so it is left out. */
export const REQUEST_PATHS: readonly string[] = pathsOf(requestFor('id')).filter((path) => !path.includes('evalByCredential.'));

/** Every member, and the first entry of each list. */
function pathsOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (Array.isArray(value) && name !== '0') return [];
    const inner = typeof member === 'object' && member !== null ? pathsOf(member, `${prefix}${name}.`) : [];
    return [`${prefix}${name}`, ...inner];
  });
}

/** JSON of what servers send in place of the right thing; `missing` is no member at all. */
export const VALUES: readonly string[] = [
  'missing',
  'null',
  'true',
  'false',
  '0',
  '1.5',
  '-7',
  '[]',
  '{}',
  '["x"]',
  '[null]',
  ...['', '60000', 'true', 'x', 'AA', 'AAE=', 'AA==', 'AB', '+/8', '-_8', 'A'].map((text) => JSON.stringify(text)),
];

/** The options with one member replaced. */
export function replaced(options: object, path: string, json: string): unknown {
  const [name = '', ...rest] = path.split('.');
  const copy: Record<string, unknown> = { ...options };
  if (rest.length > 0) copy[name] = replaced(Object(copy[name]), rest.join('.'), json);
  else if (json === 'missing') delete copy[name];
  else copy[name] = JSON.parse(json);
  return Array.isArray(options) ? Object.values(copy) : copy;
}

export function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner: unknown, name) => Reflect.get(Object(inner), name), value);
}

/** What became of a value: what it was read as (bytes as base64url), then how the ceremony ended. */
export interface Outcome {
  /** Name of the error of `parse…OptionsFromJSON`. */
  readonly refused?: string;
  readonly read?: unknown;
  /** Name of the error of `create()` or `get()`. */
  readonly failed?: string;
  /** JSON of the values with this outcome, with spaces between them. */
  readonly values: string;
}

export interface Dialect {
  readonly browser: string;
  readonly creation: Readonly<Record<string, readonly Outcome[]>>;
  readonly request: Readonly<Record<string, readonly Outcome[]>>;
}

/** Outcomes that are alike, together. */
export function gathered(outcomes: readonly (Omit<Outcome, 'values'> & { readonly value: string })[]): readonly Outcome[] {
  const groups = new Map<string, string[]>();
  for (const { value, ...outcome } of outcomes) {
    const key = JSON.stringify(outcome);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return [...groups].map(([key, values]) => ({ ...(JSON.parse(key) as object), values: values.join(' ') }));
}
