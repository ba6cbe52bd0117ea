import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { CredentialSource } from '../../src/authenticator/credential-source.js';
import type { InterchangeShape } from '../../src/authenticator/interchange/contract.js';
import { exportCredentials, importCredentials } from '../../src/authenticator/interchange/interchange.js';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { expectDistinctValues } from '../distinct-values.js';
import { RP_ID } from './requests.js';

/** The private key of RFC 7517 appendix A.2. */
const JWK = {
  kty: 'EC',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  crv: 'P-256',
  d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE',
};
const key = createPrivateKey({ key: JWK, format: 'jwk' });
const pkcs8 = new Uint8Array(key.export({ format: 'der', type: 'pkcs8' }));
const pem = String(key.export({ format: 'pem', type: 'pkcs8' })).trimEnd();
const spki = new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }));

const NOW = 1_760_000_000_987;
const ID = 'fbfbfbfb-fbfb-fbfb-fbfb-fbfbfbfbfbfb';

/** Every member of its own value. */
const FULL: CredentialSource = {
  id: new Uint8Array(16).fill(0xfb),
  rpId: RP_ID,
  rpName: 'Example',
  user: { id: encodeUtf8('ada?'), name: 'ada@example.com', displayName: 'Ada' },
  algorithm: -7,
  privateKey: pkcs8,
  discoverable: true,
  signCount: 5,
  backupEligible: true,
  backupState: false,
  protection: 2,
  prf: { withVerification: new Uint8Array(32).fill(1), withoutVerification: new Uint8Array(32).fill(2) },
  largeBlob: encodeUtf8('blob'),
  credBlob: encodeUtf8('small'),
  hidden: true,
};
/** Nothing beyond what every credential has, and none of what formats assume. */
const BARE: CredentialSource = {
  id: new Uint8Array(20).fill(0xfe),
  rpId: RP_ID,
  rpName: RP_ID,
  user: { id: encodeUtf8('b'), name: '', displayName: '' },
  algorithm: -7,
  privateKey: pkcs8,
  discoverable: false,
  signCount: 0,
  backupEligible: true,
  backupState: true,
};
const FULL_KEY = encodeBase64url(FULL.id);
const BARE_KEY = encodeBase64url(BARE.id);

test('the values of the credential differ', () => {
  expectDistinctValues({ ...FULL, prf: undefined });
});

/** A remark for each member that is lost, some with their value. */
const lost = (title: string, { id, rpId }: CredentialSource, members: readonly string[]) =>
  members.map((shown) => ({
    credentialId: encodeBase64url(id),
    member: shown.split(' ')[0],
    message: `${shown} of credential ${encodeBase64url(id).slice(0, 16)}… of ${rpId} is lost: ${title} cannot hold it.`,
  }));
/** What an import remarks of flags that the format does not hold. */
const assumed = (title: string, { id, rpId }: CredentialSource, value: boolean) =>
  ['backupEligible', 'backupState'].map((member) => ({
    credentialId: encodeBase64url(id),
    member,
    message: `${member} of credential ${encodeBase64url(id).slice(0, 16)}… of ${rpId} is assumed to be ${value}, because ${title} does not contain it.`,
  }));

interface Written {
  readonly title: string;
  /** As JSON with two spaces, or as it is. */
  readonly text: unknown;
  readonly lost: readonly string[];
  /** Further remarks, which come last. */
  readonly remarks?: readonly object[];
  /** What an import changes. */
  readonly back: { readonly [K in keyof CredentialSource]?: CredentialSource[K] | undefined };
  /** The value of the flags that an import assumes. */
  readonly assumes?: boolean;
}

const STATE_LOST = ['protection (2)', 'prf', 'largeBlob', 'credBlob', 'hidden (true)'];
const NO_EXTRAS = { protection: undefined, prf: undefined, largeBlob: undefined, credBlob: undefined, hidden: undefined };
const NO_NAMES = { rpName: RP_ID, user: { id: FULL.user.id, name: '', displayName: '' } };
const NO_FLAGS = { backupEligible: false, backupState: false };
const SYNCED = { backupEligible: true, backupState: true };

const PLAYWRIGHT = {
  id: FULL_KEY,
  rpId: RP_ID,
  userHandle: 'YWRhPw',
  privateKey: encodeBase64url(pkcs8),
  publicKey: encodeBase64url(spki),
  signCount: 5,
};
const PLAYWRIGHT_LOST = ['rpName', 'userName', 'userDisplayName', 'backupEligible (true)', ...STATE_LOST];
const AS_PLAYWRIGHT = { ...NO_NAMES, ...NO_FLAGS, ...NO_EXTRAS };

const FULL_DOCUMENTS: Readonly<Record<Exclude<InterchangeShape, 'cxf'>, Written>> = {
  json: {
    title: 'credentials in the JSON of passkey',
    text: `{
  "format": "passkey-credentials",
  "version": 1,
  "credentials": [
    ${JSON.stringify({
      type: 'public-key',
      id: FULL_KEY,
      rpId: RP_ID,
      rpName: 'Example',
      user: { id: 'YWRhPw', name: 'ada@example.com', displayName: 'Ada' },
      algorithm: -7,
      privateKey: encodeBase64url(pkcs8),
      discoverable: true,
      signCount: 5,
      backupEligible: true,
      backupState: false,
      protection: 2,
      prf: {
        withVerification: 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE',
        withoutVerification: 'AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
      },
      largeBlob: 'YmxvYg',
      credBlob: 'c21hbGw',
      hidden: true,
    })}
  ]
}`,
    lost: [],
    back: {},
  },
  playwright: {
    title: 'credentials of Playwright (context.credentials)',
    text: [PLAYWRIGHT],
    lost: PLAYWRIGHT_LOST,
    back: AS_PLAYWRIGHT,
    assumes: false,
  },
  'playwright-state': {
    title: 'a storage state of Playwright with credentials',
    text: { cookies: [], origins: [], credentials: [PLAYWRIGHT] },
    lost: PLAYWRIGHT_LOST,
    back: AS_PLAYWRIGHT,
    assumes: false,
  },
  devtools: {
    title: 'credentials of the Chrome DevTools protocol (WebAuthn.Credential)',
    text: {
      credentials: [
        {
          credentialId: encodeBase64(FULL.id),
          isResidentCredential: true,
          rpId: RP_ID,
          privateKey: encodeBase64(pkcs8),
          userHandle: 'YWRhPw==',
          signCount: 5,
          largeBlob: 'YmxvYg==',
          backupEligibility: true,
          backupState: false,
          userName: 'ada@example.com',
          userDisplayName: 'Ada',
        },
      ],
    },
    lost: ['rpName', 'protection (2)', 'prf', 'credBlob', 'hidden (true)'],
    back: { rpName: RP_ID, ...NO_EXTRAS, largeBlob: encodeUtf8('blob') },
  },
  jwk: {
    title: 'private JSON Web Keys (RFC 7517)',
    text: { keys: [{ ...JWK, alg: 'ES256', kid: FULL_KEY }] },
    lost: ['rpId', 'rpName', 'userHandle', 'userName', 'userDisplayName', 'signCount (5)', 'backupEligible (true)', ...STATE_LOST],
    back: { ...AS_PLAYWRIGHT, signCount: 0 },
    assumes: false,
  },
  pkcs8: {
    title: 'PKCS#8 in PEM',
    text: pem,
    lost: ['id', 'rpId', 'rpName', 'userHandle', 'userName', 'userDisplayName', 'signCount (5)', 'backupEligible (true)', ...STATE_LOST],
    back: { ...AS_PLAYWRIGHT, signCount: 0 },
    assumes: false,
  },
  keepassxc: {
    title: 'the passkey file of KeePassXC',
    text: {
      relyingParty: RP_ID,
      url: 'https://example.com',
      username: 'ada@example.com',
      credentialId: FULL_KEY,
      userHandle: 'YWRhPw',
      privateKey: pem,
    },
    lost: ['rpName', 'userDisplayName', 'signCount (5)', 'backupState (false)', ...STATE_LOST],
    back: { rpName: RP_ID, user: { ...FULL.user, displayName: '' }, signCount: 0, ...SYNCED, ...NO_EXTRAS },
    assumes: true,
  },
  bitwarden: {
    title: 'the export of Bitwarden (JSON)',
    text: {
      encrypted: false,
      folders: [],
      items: [
        {
          type: 1,
          name: 'Example',
          login: {
            uris: [{ match: null, uri: 'https://example.com' }],
            username: 'ada@example.com',
            fido2Credentials: [
              {
                credentialId: ID,
                keyType: 'public-key',
                keyAlgorithm: 'ECDSA',
                keyCurve: 'P-256',
                keyValue: encodeBase64url(pkcs8),
                rpId: RP_ID,
                userHandle: 'YWRhPw',
                userName: 'ada@example.com',
                counter: '5',
                rpName: 'Example',
                userDisplayName: 'Ada',
                discoverable: 'true',
                creationDate: '2025-10-09T08:53:20.987Z',
              },
            ],
          },
        },
      ],
    },
    lost: ['backupState (false)', ...STATE_LOST],
    back: { ...SYNCED, ...NO_EXTRAS },
    assumes: true,
  },
};

const CXF_TITLE = 'the Credential Exchange Format of the FIDO Alliance';
const cxf = (items: readonly object[]) => ({
  version: { major: 1, minor: 0 },
  exporterRpId: 'localhost',
  exporterDisplayName: 'passkey',
  timestamp: 1_760_000_000,
  accounts: [{ id: 'AAAAAAAAAAAAAAAAAAAAAA', username: '', email: '', collections: [], items }],
});
const cxfItem = (id: string, title: string, credential: object) => ({
  id,
  creationAt: 1_760_000_000,
  modifiedAt: 1_760_000_000,
  title,
  credentials: [{ type: 'passkey', ...credential }],
});

const writeText = (text: unknown) => (typeof text === 'string' ? text : JSON.stringify(text, null, 2));

const rows: readonly (readonly [name: string, shape: InterchangeShape, source: CredentialSource, written: Written])[] = [
  ...Object.entries(FULL_DOCUMENTS).map(
    ([shape, written]) => [`${shape}, of a full credential`, shape as InterchangeShape, FULL, written] as const,
  ),
  [
    'cxf, of a full credential without a counter',
    'cxf',
    { ...FULL, signCount: 0 },
    {
      title: CXF_TITLE,
      text: cxf([
        cxfItem('brEnimBSsgi8kr52n3oadQ', 'Example', {
          credentialId: FULL_KEY,
          rpId: RP_ID,
          username: 'ada@example.com',
          userDisplayName: 'Ada',
          userHandle: 'YWRhPw',
          key: encodeBase64url(pkcs8),
          fido2Extensions: {
            hmacCredentials: {
              algorithm: 'hmac-sha256',
              credWithUV: 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE',
              credWithoutUV: 'AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
            },
            credBlob: 'c21hbGw',
            largeBlob: { uncompressedSize: 4, data: 'S8rJTwIA' },
          },
        }),
      ]),
      lost: ['rpName', 'backupState (false)', 'protection (2)', 'hidden (true)'],
      back: { rpName: RP_ID, ...SYNCED, protection: undefined, hidden: undefined },
      assumes: true,
    },
  ],
  [
    'cxf, of a bare credential',
    'cxf',
    BARE,
    {
      title: CXF_TITLE,
      text: cxf([
        cxfItem('uYuYkfl4AB-CnA8Pc6OqYA', RP_ID, {
          credentialId: BARE_KEY,
          rpId: RP_ID,
          username: '',
          userDisplayName: '',
          userHandle: 'Yg',
          key: encodeBase64url(pkcs8),
        }),
      ]),
      lost: ['discoverable (false)'],
      back: { discoverable: true },
      assumes: true,
    },
  ],
  ...(
    [
      ['an empty large blob', { largeBlob: new Uint8Array() }, { largeBlob: { uncompressedSize: 0, data: 'AwA' } }],
      ['a blob of its own alone', { credBlob: Uint8Array.of(3) }, { credBlob: 'Aw' }],
    ] as const
  ).map(
    ([what, member, extension]) =>
      [
        `cxf, of a credential with ${what}`,
        'cxf',
        { ...BARE, discoverable: true, ...member },
        {
          title: CXF_TITLE,
          text: cxf([
            cxfItem('uYuYkfl4AB-CnA8Pc6OqYA', RP_ID, {
              credentialId: BARE_KEY,
              rpId: RP_ID,
              username: '',
              userDisplayName: '',
              userHandle: 'Yg',
              key: encodeBase64url(pkcs8),
              fido2Extensions: extension,
            }),
          ]),
          lost: [],
          back: {},
          assumes: true,
        },
      ] as const,
  ),
  [
    'devtools, of a bare credential with an empty large blob',
    'devtools',
    { ...BARE, largeBlob: new Uint8Array() },
    {
      title: 'credentials of the Chrome DevTools protocol (WebAuthn.Credential)',
      text: {
        credentials: [
          {
            credentialId: encodeBase64(BARE.id),
            isResidentCredential: false,
            rpId: RP_ID,
            privateKey: encodeBase64(pkcs8),
            signCount: 0,
            backupEligibility: true,
            backupState: true,
          },
        ],
      },
      lost: [],
      remarks: [
        ['userHandle', 'Chromium accepts it only for resident credentials'],
        ['largeBlob', 'the protocol cannot distinguish an empty value from none'],
      ].map(([member, why]) => ({
        credentialId: BARE_KEY,
        member,
        message: `${member} of credential ${BARE_KEY.slice(0, 16)}… of example.com is lost: ${why}.`,
      })),
      back: { user: { ...BARE.user, id: new Uint8Array() }, largeBlob: undefined },
    },
  ],
  [
    'bitwarden, of a bare credential',
    'bitwarden',
    BARE,
    {
      title: 'the export of Bitwarden (JSON)',
      text: {
        encrypted: false,
        folders: [],
        items: [
          {
            type: 1,
            name: RP_ID,
            login: {
              uris: [{ match: null, uri: 'https://example.com' }],
              username: '',
              fido2Credentials: [
                {
                  credentialId: `b64.${BARE_KEY}`,
                  keyType: 'public-key',
                  keyAlgorithm: 'ECDSA',
                  keyCurve: 'P-256',
                  keyValue: encodeBase64url(pkcs8),
                  rpId: RP_ID,
                  userHandle: 'Yg',
                  userName: '',
                  counter: '0',
                  rpName: RP_ID,
                  userDisplayName: '',
                  discoverable: 'false',
                  creationDate: '2025-10-09T08:53:20.987Z',
                },
              ],
            },
          },
        ],
      },
      lost: [],
      back: {},
      assumes: true,
    },
  ],
];

describe.each(rows)('%s', (_, shape, source, { title, text, lost: members, remarks = [], back, assumes }) => {
  test('is written to the byte, with a remark for each member that is lost', async () => {
    expect(await exportCredentials(shape, [source], { now: NOW })).toEqual({
      text: writeText(text),
      count: 1,
      remarks: [...lost(title, source, members), ...remarks],
    });
  });

  test('is read whole, with a remark for each member that is assumed', async () => {
    const supplied = { id: source.id, rpId: source.rpId, userHandle: source.user.id };
    expect(await importCredentials(shape, writeText(text), supplied)).toEqual({
      credentials: [{ ...source, ...back }],
      remarks: assumes === undefined ? [] : assumed(title, source, assumes),
    });
  });
});

test('KeePassXC would refuse a passkey whose user has no name', async () => {
  const { remarks } = await exportCredentials('keepassxc', [{ ...BARE, discoverable: true }]);
  expect(remarks).toEqual([
    {
      credentialId: BARE_KEY,
      member: 'userName',
      message: `userName of credential ${BARE_KEY.slice(0, 16)}… of example.com is empty, so KeePassXC would refuse the file. Give the user a name.`,
    },
  ]);
});

test('the list of a format that holds several is one document', async () => {
  const [one, other] = [FULL, BARE].map((source) => ({ ...source, signCount: 0 }));
  if (one === undefined || other === undefined) throw new Error('Expected two credentials.');
  for (const shape of ['json', 'playwright', 'playwright-state', 'devtools', 'jwk', 'bitwarden', 'cxf'] as const) {
    const { text, count } = await exportCredentials(shape, [one, other]);
    expect([shape, count]).toEqual([shape, 2]);
    const { credentials } = await importCredentials(shape, text, { rpId: RP_ID });
    expect(credentials.map(({ id }) => id)).toEqual([one.id, other.id]);
  }
  const { text, count } = await exportCredentials('pkcs8', [one, other]);
  expect({ text, count }).toEqual({ text: `${pem}\n${pem}`, count: 2 });
  expect((await exportCredentials('json', [])).text).toBe('{\n  "format": "passkey-credentials",\n  "version": 1,\n  "credentials": []\n}');
});
