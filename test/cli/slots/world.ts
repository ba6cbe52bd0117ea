import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { openStore } from '../../../src/store/open-store.js';
import { ceremoniesElsewhere, ORIGIN } from '../../explain/recording/ceremonies.js';
import { authenticationResponse, es256Key } from '../../relying-party/ceremony.js';
import { type Ran, runIn } from '../run-in.js';
import { seedCredentials } from '../seeded-credentials.js';
import { passkeyOf, seedStore } from '../seeded-store.js';
import { makeIdentity } from '../serve/identity.js';
import { NOW } from './run-slots.js';

/** Runs a line in the folder, which must do something. */
const lineRunner =
  (folder: string) =>
  async (line: string): Promise<Ran> => {
    const ran = await runIn(folder, line.split(' '));
    if (ran.code !== 0) throw new TypeError(`Expected ${line} to end well, got ${ran.code}: ${ran.stderr}`);
    return ran;
  };

/** Two stores: one with passkeys, tokens, a user who was removed, an export and a backup, one with a user alone, and a configuration that names it. */
export async function fillStores(folder: string): Promise<void> {
  const passkey = lineRunner(folder);
  const store = await openStore(await seedStore(folder), { create: false });
  const gone = await store.insertOwner({ type: 'User', email: 'gone@example.com', name: 'Gone', createdAt: NOW });
  await store.insertPasskey(passkeyOf(gone, 5, 'Lost phone', 'example.com'));
  await store.close();
  const other = await openStore(join(folder, 'other.json'), { create: true });
  await other.insertOwner({ type: 'User', email: 'zoe@example.com', name: 'Zoe', createdAt: NOW });
  await other.close();
  for (const user of ['User:1 --label laptop', 'User:2 --label server', 'Admin:1 --label console']) {
    await passkey(`token create --user ${user}`);
  }
  await passkey('token revoke 2 --yes');
  await passkey('user remove gone@example.com --yes');
  await passkey('store export --out all.jsonl');
  await passkey('store backup --out backups/');
  await writeFile(join(folder, 'other.config.json'), JSON.stringify({ store: 'other.json' }));
  await writeFile(join(folder, 'database.config.json'), JSON.stringify({ store: 'postgres://localhost:1/none' }));
}

/** Ceremonies, files of credentials, roots, fixtures, and a configuration that names other credentials. */
export async function fillMaterial(folder: string): Promise<void> {
  const passkey = lineRunner(folder);
  await seedStore(folder);
  await mkdir(join(folder, 'elsewhere'));
  await seedCredentials(join(folder, 'elsewhere'), 'ERITFBUWFxgZGhscHR4fIA');
  await seedCredentials(folder);
  await writeFile(join(folder, 'other.config.json'), JSON.stringify({ credentials: 'elsewhere/.passkey/credentials.json' }));
  await writeCeremonies(folder);
  for (const [name, line] of [
    ['quiet', 'lenient.json --mediation conditional --credentials quiet-keys.json'],
    ['apple', 'creation.json --persona icloud-keychain --credentials apple-keys.json'],
    ['unverified', 'lenient-request.json'],
    ['framed', 'request.json --top-origin https://top.example'],
  ] as const) {
    const { stdout } = await passkey(`credential answer ${line} --origin https://example.org`);
    await writeFile(join(folder, `${name}.json`), stdout);
  }
  for (const line of [
    'attestation-root --out root.pem',
    'attestation-root --format blob --out blob.jwt',
    'attestation-root --format blob-root --out blob-root.pem',
    'credential convert --to pkcs8 --out key.pem',
    'credential answer creation.json --origin https://example.org',
    'fixture import registration.json --out taken',
    'fixture export --algorithm eddsa --out taken-vectors',
  ]) {
    await passkey(line);
  }
}

async function writeCeremonies(folder: string): Promise<void> {
  const { creation, registration, request, login } = await ceremoniesElsewhere();
  const attest = (attestation: 'packed' | 'packed-x5c') =>
    createClient({ authenticator: createAuthenticator({ attestation }), origin: ORIGIN }).create({
      publicKey: { ...creation, attestation: 'direct' },
    });
  const legacy = authenticationResponse({
    key: es256Key(),
    challenge: request.challenge,
    rpId: 'https://example.org/u2f.json',
    userHandle: null,
  });
  const files = {
    creation,
    lenient: { ...creation, authenticatorSelection: { residentKey: 'required', userVerification: 'discouraged' } },
    registration,
    request,
    'lenient-request': { ...request, userVerification: 'discouraged' },
    login,
    attested: await attest('packed-x5c'),
    'attesting-itself': await attest('packed'),
    legacy: { ...legacy, clientExtensionResults: { appid: true } },
    advised: { ...creation, pubKeyCredParams: [{ type: 'public-key', alg: -257 }] },
    names: { 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'A name of our own' },
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, `${name}.json`), JSON.stringify(content));
  await writeFile(join(folder, 'two.jsonl'), `${JSON.stringify(login)}\n${JSON.stringify(registration)}\n`);
  await writeFile(join(folder, 'log.jsonl'), '{"code":"challenge_used"}\n{"code":"origin_mismatch"}\n');
}

/** Files that a server takes: a front end, well-known files, an identity, roots, an export, a configuration, and the script that exec runs. */
export async function fillServed(folder: string): Promise<void> {
  const passkey = lineRunner(folder);
  const { cert, key } = makeIdentity();
  const files = {
    'ask.sh': 'printf "%s %s %s %s\\n" "$PASSKEY_URL" "$PASSKEY_TOKEN" "$PASSKEY_STORE" "$PASSKEY_OWNER_TYPE"\nread -r _\n',
    'front/index.html': '<title>A front end</title>',
    'well-known/webauthn': '{"origins":["https://other.example"]}',
    'server.pem': cert,
    'server.key': key,
    'server.config.json': '{"userVerification":"required"}',
  };
  for (const name of ['front', 'well-known']) await mkdir(join(folder, name));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content, { mode: 0o600 });
  await seedStore(folder);
  for (const line of [
    'store export --out all.jsonl',
    'attestation-root --out root.pem',
    'attestation-root --format blob --out blob.jwt',
    'attestation-root --format blob-root --out blob-root.pem',
  ]) {
    await passkey(line);
  }
}
