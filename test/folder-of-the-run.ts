import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'passkey-tests-';

/** Where Linux has memory as a folder. Stores, databases and browsers there wait for no disk, which is a fifth of their time. */
const MEMORY = '/dev/shm';
/** Bytes that must be free there; a run takes less than a tenth of it. */
const ROOM = 4 * 2 ** 30;

/** Tries until it is gone, for a minute and a half: a worker that was interrupted ends with the test it is in, and its browser after it. */
const REMOVE = `const { existsSync, rmSync } = require('node:fs');
const folder = process.argv[1];
let left = 90;
const timer = setInterval(() => {
  try { rmSync(folder, { recursive: true, force: true }); } catch {}
  if (--left === 0 || (!existsSync(folder) && left < 85)) clearInterval(timer);
}, 1000);`;

/** A new folder in memory; undefined where there is none, too little room, or one that runs no programs, which tests put there. */
function folderInMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ROOM) return undefined;
    const folder = mkdtempSync(join(MEMORY, PREFIX));
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    const runs = spawnSync(program).status === 0;
    rmSync(runs ? program : folder, { recursive: true });
    return runs ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Gives the run a temporary folder of its own. What vitest, workers, servers and browsers put there goes with the run, also when Ctrl-C
 * or a signal ends it before a test has cleaned up.
 */
export function useFolderOfTheRun({ inMemory }: { readonly inMemory: boolean }): void {
  // The configuration is loaded once for every project.
  if (tmpdir().includes(PREFIX)) return;
  const folder = (inMemory ? folderInMemory() : undefined) ?? mkdtempSync(join(tmpdir(), PREFIX));
  // A test has a process of another user look into it.
  chmodSync(folder, 0o711);
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  process.once('exit', (code) => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Somebody writes there still.
    }
    if (existsSync(folder) || code !== 0) {
      spawn(process.execPath, ['-e', REMOVE, folder], { detached: true, stdio: 'ignore' }).unref();
    }
  });
}
