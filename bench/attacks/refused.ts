/**
 * `npm run build && node --import tsx bench/attacks/refused.ts`: files that no ceremony needs, each given to `passkey explain` and, where it is a fixture,
 * to `passkey simulate`. One line a figure: what, bytes, exit code, milliseconds, the first line on stderr.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REFUSED } from '../../test/large/refused.js';

const BIN = join(import.meta.dirname, '../../bin/passkey.js');
const folder = mkdtempSync(join(tmpdir(), 'passkey-'));
try {
  for (const [name, { file, bytes }] of Object.entries(REFUSED)) {
    const path = join(folder, file);
    const content = bytes();
    writeFileSync(path, content);
    for (const command of file.endsWith('.json') ? ['explain', 'simulate'] : ['explain']) {
      const start = performance.now();
      const args = command === 'explain' ? [BIN, command, path] : [BIN, command, '--fixtures', path];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000, maxBuffer: 1e9 });
      const spent = (performance.now() - start).toFixed(0);
      console.log([name, command, content.length, `exit ${status}`, `${spent} ms`, stderr.split('\n')[0]?.slice(0, 200)].join('\t'));
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
