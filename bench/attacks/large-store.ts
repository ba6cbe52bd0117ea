/**
 * `node --import tsx bench/attacks/large-store.ts`: how large a file of passkeys a process with 256 MB of heap can open, change and list
 * before it dies, in bytes of heap per byte of file; and what it says of one that is larger. With rows of 1.5 KB and of 30 KB.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { newPasskey } from '../../test/contract/samples.js';

const HEAP = 256;
const [mode, path = ''] = process.argv.slice(2);

if (mode === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-bench-'));
  try {
    for (const attestation of [200, 20_000]) {
      const heap = Number(child('heap', '').stdout);
      for (const ratio of [12, 10, 6]) {
        const file = join(folder, 'passkeys.jsonl');
        const { rows, bytes } = await writeStore(file, { attestation, bytes: heap / ratio });
        const { status, stderr } = child('unbounded', file);
        const outcome = status === 0 ? 'served' : `died (${/FATAL ERROR: [^\n]*/.exec(stderr)?.[0] ?? `exit ${status}`})`;
        console.log(`${ratio} bytes of heap per byte, n=${rows} rows, ${(bytes / 1024 / 1024).toFixed(1)} MB: ${outcome}`);
        console.log(`  with the limit: ${child('bounded', file).stdout.trim()}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
} else if (mode === 'heap') {
  console.log(getHeapStatistics().heap_size_limit);
} else {
  const store = await openJsonFileStore(path, mode === 'bounded' ? {} : { maxBytes: Number.MAX_SAFE_INTEGER }).catch((error: unknown) => {
    console.log(String(error));
    process.exit(0);
  });
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => store.renamePasskey(index + 1, `round ${round}`)));
  }
  const listed = (await store.listPasskeys()).length;
  await store.close();
  console.log(`served ${listed} passkeys`);
}

function child(argument: string, file: string) {
  const flags = [`--max-old-space-size=${HEAP}`, '--import', 'tsx', import.meta.filename, argument, file];
  return spawnSync(process.execPath, flags, { encoding: 'utf8', timeout: 120_000 });
}

/** A store of rows that differ in their ids, with an attestation object of so many bytes each. */
async function writeStore(file: string, wanted: { readonly attestation: number; readonly bytes: number }) {
  rmSync(file, { force: true });
  const store = await openJsonFileStore(file, { create: true });
  const { credential, ...rest } = newPasskey();
  await store.insertPasskey({ ...rest, credential: { ...credential, attestationObject: randomBytes(wanted.attestation) } });
  await store.close();
  const row =
    readFileSync(file, 'utf8')
      .split('\n')
      .find((line) => line.startsWith('{"passkey":')) ?? '';
  const rows = Math.floor(wanted.bytes / row.length);
  const text = openSync(file, 'a');
  let bytes = row.length;
  for (let id = 2; id <= rows; id += 1) {
    const own = row
      .replace('"id":1', `"id":${id}`)
      .replace(/"credential_id":"[^"]*"/, `"credential_id":"${randomBytes(32).toString('base64url')}"`);
    bytes += writeSync(text, `${own}\n`);
  }
  closeSync(text);
  return { rows, bytes };
}
