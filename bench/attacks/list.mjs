// `npm run build && node bench/attacks/list.mjs [N…]`: how long the lists of the command line take on a store of N passkeys, N users
// and N tokens, and how many lines and bytes they print; and that a reader which leaves early ends them.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const AT_MOST_MS = 120_000;
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 20_000, 150_000];
const passkey = join(import.meta.dirname, '../../bin/passkey.js');
const time = '2026-01-15T10:30:00.000000Z';
const idOf = (n, bytes = 16) => Buffer.alloc(bytes, String(n).padStart(bytes, '0')).toString('base64url');

function storeOf(count) {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return {
    version: 1,
    next_passkey_id: count + 1,
    next_access_id: count + 1,
    owners: numbers.map((id) => ({
      type: 'User',
      id,
      email: `u${id}@example.com`,
      name: `User ${id}`,
      user_handle: null,
      created_at: time,
    })),
    removed_owners: [],
    passkeys: numbers.map((id) => ({
      id,
      label: `Key ${id}`,
      owner_type: 'User',
      owner_id: id,
      user_handle: idOf(id),
      rp_id: 'example.com',
      rp_name: 'Example',
      origin: 'https://example.com',
      credential_id: idOf(id),
      public_key: 'oA',
      sign_count: 0,
      uv_initialized: true,
      transports: [],
      backup_eligible: false,
      backup_state: false,
      aaguid: '00000000-0000-0000-0000-000000000000',
      attestation_format: 'none',
      attestation_trust: 'none',
      attestation_object: 'oA',
      attestation_client_data_json: 'e30',
      authenticator_attachment: null,
      client_extension_results: {},
      challenge: idOf(id),
      created_at: time,
      last_used_at: null,
      revoked_at: null,
      revoked_reason: null,
      counter_regressions: 0,
      counter_regressed_at: null,
    })),
    accesses: numbers.map((id) => ({
      id,
      kind: 'token',
      owner_type: 'User',
      owner_id: id,
      hash: idOf(id, 32),
      passkey_id: null,
      label: null,
      created_at: time,
      expires_at: null,
      revoked_at: null,
    })),
  };
}

/** Runs one command; with `takes`, its reader leaves after as many bytes. */
function timed(argv, takes = Number.POSITIVE_INFINITY) {
  const start = performance.now();
  const child = spawn(process.execPath, [passkey, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], timeout: AT_MOST_MS });
  let [bytes, lines, errors] = [0, 0, ''];
  child.stdout.on('data', (chunk) => {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines += 1;
    if (bytes >= takes) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const [first = ''] = errors.split('\n').filter((line) => /Error|passkey:/.test(line));
      resolve({ ms: Math.round(performance.now() - start), lines, bytes, ended: signal ?? code, said: first });
    });
  });
}

const folder = await mkdtemp(join(tmpdir(), 'passkey-list-'));
try {
  for (const count of sizes) {
    const store = join(folder, `${count}.json`);
    await writeFile(store, JSON.stringify(storeOf(count)), { mode: 0o600 });
    const commands = [['list'], ['list', '--json'], ['list', '--csv'], ['list', '--sort', 'label'], ['user', 'list'], ['token', 'list']];
    for (const argv of [...commands, ['list', '--limit', '1']]) {
      console.log(`${argv.join(' ')}: n=${count}`, await timed([...argv, '--store', store]));
    }
    console.log(`list | head: n=${count}`, await timed(['list', '--store', store], 1000));
  }
} finally {
  await rm(folder, { recursive: true });
}
