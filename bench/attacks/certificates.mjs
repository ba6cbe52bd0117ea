/**
 * `npm run build && node --import tsx bench/attacks/certificates.mjs [BYTES]`: how long a served relying party takes over registrations whose
 * attestation certificate has an object identifier of BYTES bytes (default 40,000), by where it stands; beside one without, and one with
 * as large a serial number. PASSKEY_BIN names the program. The milliseconds are of the slowest of ten requests. Loopback only.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attested, writeCertificate } from '../../test/large/registration.ts';
import { BIN, report, serve } from './serving.mjs';

const size = Number(process.argv[2] ?? 40_000);
const ORIGIN = 'http://localhost:3000';
/** One number of `size` bytes, and `size` numbers of one byte. */
const long = new Uint8Array(size).fill(0xff).fill(1, -1);
const many = new Uint8Array(size).fill(1);

const CERTIFICATES = [
  ['nothing large', writeCertificate({})],
  ['a large serial number', writeCertificate({ serialNumber: many })],
  ['the identifier of an extension', writeCertificate({ oid: long })],
  ['… of many numbers', writeCertificate({ oid: many })],
  ['an identifier within an extension', writeCertificate({ parameter: long })],
  ['the type of an attribute of the name', writeCertificate({ attribute: long })],
  ['… of many numbers', writeCertificate({ attribute: many })],
  ['a parameter of the algorithm (stated twice, half as long)', writeCertificate({ algorithmParameter: long.subarray(size / 2) })],
];

const folder = mkdtempSync(join(tmpdir(), 'passkey-bench-'));
const store = ['--store', join(folder, 'passkeys.jsonl')];
const passkey = (...args) =>
  execFileSync(process.execPath, [BIN, ...args, ...store], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
passkey('user', 'add', '--email', 'ada@example.com', '--name', 'Ada');
const token = passkey('token', 'create', '--user', 'ada@example.com').trim();
const server = await serve({ flags: ['--log-level', 'fatal', ...store] });
try {
  await slowest(writeCertificate({}));
  for (const [what, certificate] of CERTIFICATES) report(`${what}: ms, status`, certificate.length, await slowest(certificate));
} finally {
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function slowest(certificate) {
  let most = 0;
  let outcome = '';
  for (let count = 0; count < 10; count++) {
    const options = await (await post('register/options', { app_name: 'App', app_url: ORIGIN })).json();
    const { response } = attested([certificate], { origin: ORIGIN, rpId: 'localhost', challenge: options.challenge, id: randomBytes(16) });
    const start = performance.now();
    const reply = await post('register', response);
    const { code = '' } = await reply.json();
    most = Math.max(most, performance.now() - start);
    outcome = `${reply.status} ${code}`;
  }
  return `${most.toFixed(0)}   ${outcome}`;
}

async function post(path, body) {
  return await fetch(`${server.url}/api/passkeys/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
}
