import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPECTATION_MEMBERS, expectationFlag } from '../../src/explain/expectation-members.js';
import { FOREIGN_ROOT } from '../../src/simulate/cases/values.js';
import { ceremoniesElsewhere } from '../explain/recording/ceremonies.js';
import { authenticationResponse, es256Key, ORIGIN, RP_ID } from '../relying-party/ceremony.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

const { registration, login } = await ceremoniesElsewhere();

/** The fixture that is made of a response, held against the values of these flags. */
async function importWith(kind: 'registration' | 'login', ...flags: readonly string[]) {
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'registration.json'), JSON.stringify(registration));
  await writeFile(join(cwd, 'login.json'), JSON.stringify(login));
  await writeFile(join(cwd, 'root.pem'), FOREIGN_ROOT);
  const { stdout } = await runIn(cwd, ['fixture', 'import', `${kind}.json`, '--json', ...flags]);
  const [written] = JSON.parse(stdout).imported;
  return written === undefined ? 'nothing' : JSON.parse(await readFile(join(cwd, written.file), 'utf8'));
}

const KEY = ['--registration', 'registration.json'];
const ROWS: readonly (readonly [kind: 'registration' | 'login', flags: readonly string[], without: readonly string[], written: object])[] =
  [
    ['registration', ['--rp-id', 'other.example'], [], { rpId: 'other.example', expected: { code: 'rp_id_mismatch' } }],
    ['registration', ['--origin', 'https://other.example'], [], { expected: { code: 'origin_mismatch' } }],
    ['registration', ['--challenge', 'AAAAAAAAAAAAAAAAAAAAAA'], [], { expected: { code: 'challenge_unknown' } }],
    [
      'registration',
      ['--algorithms', 'RS256'],
      [],
      { expected: { code: 'algorithm_not_allowed' }, ceremony: { policy: { algorithms: [-257] } } },
    ],
    ['registration', ['--require-uv'], [], { ceremony: { policy: { userVerification: 'required' } } }],
    ['registration', ['--mediation', 'conditional'], [], { ceremony: { mediation: 'conditional' } }],
    ['registration', ['--top-origin', 'https://top.example'], [], { ceremony: { policy: { topOrigins: ['https://top.example'] } } }],
    ['registration', ['--roots', 'root.pem'], [], { expected: { code: 'attestation_untrusted' } }],
    ['registration', ['--self-attestation', 'refuse'], [], { ceremony: { policy: { selfAttestation: 'refuse' } } }],
    ['registration', ['--at', '2020-02-03T04:05:06Z'], [], { ceremony: { answeredAt: '2020-02-03T04:05:06.000Z' } }],
    ['login', ['--public-key', 'registration.json'], [], { expected: { outcome: 'verified' } }],
    ['login', ['--sign-count', '9'], KEY, { expected: { code: 'counter_regressed' }, credential: { signCount: 9 } }],
    ['login', ['--backup-eligible', 'true'], KEY, { expected: { code: 'backup_eligibility_changed' } }],
    [
      'login',
      ['--app-id', 'https://example.org/app.json'],
      KEY,
      { ceremony: { options: { extensions: { appid: 'https://example.org/app.json' } } } },
    ],
  ];

test.each(ROWS)('fixture import, of a %s: %j is in the fixture', async (kind, flags, without, written) => {
  expect(await importWith(kind, ...without)).not.toMatchObject(written);
  expect(await importWith(kind, ...without, ...flags)).toMatchObject(written);
});

test('every expected value that fixture import takes has a row', () => {
  const rows = ROWS.map(([, [flag]]) => flag);
  const ofExplain = ['--metadata', '--metadata-root', '--aaguids'];
  const flags = Object.keys(EXPECTATION_MEMBERS).map(expectationFlag);
  expect(new Set(rows)).toEqual(new Set(flags.filter((flag) => !ofExplain.includes(flag))));
});

test.each([
  [[], 0, 'undecided'],
  [['--app-id', 'https://example.org/other.json'], 1, 'rejected'],
  [['--app-id', 'https://example.org/u2f.json'], 0, 'accepted'],
])('explain %j, of a login with the hash of an AppID', async (flags, exit, verdict) => {
  const key = es256Key();
  const challenge = 'AAECAwQFBgcICQoLDA0ODw';
  const response = {
    ...authenticationResponse({ key, challenge, rpId: 'https://example.org/u2f.json', userHandle: null }),
    clientExtensionResults: { appid: true },
  };
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'login.json'), JSON.stringify(response));
  const expected = ['--rp-id', RP_ID, '--origin', ORIGIN, '--challenge', challenge, '--require-uv'];
  const stored = ['--public-key', Buffer.from(key.publicKey).toString('base64url'), '--sign-count', '0', '--backup-eligible', 'false'];
  const { code, stdout } = await runIn(cwd, ['explain', 'login.json', ...expected, ...stored, ...flags, '--json']);
  expect([code, JSON.parse(stdout).verdict]).toEqual([exit, verdict]);
});
