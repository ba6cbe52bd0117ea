// Run as a process of its own: WORK PATH COUNT SEED, WORK being insert, regress, read, count, torture or exhaust, insert and read also with
// -unprivileged, torture with -faulty. Says what it has done line by line, once it is done. SEED chooses the changes of torture.
import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { PasskeyError } from '../../src/errors.js';
import { acquireFileLock } from '../../src/store/file-lock.js';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { newLogin, newOwner, newPasskey, START } from '../contract/samples.js';
import { Random } from '../fuzz/random.js';

const [work, path = '', count, seed] = process.argv.slice(2);
const random = new Random(Number(seed ?? 1), 0);
// Permissions mean nothing to root.
if (work?.endsWith('-unprivileged') && process.getuid?.() === 0) process.setuid?.(65_534);
const store = await openJsonFileStore(path, { create: work?.startsWith('read') !== true });
const rounds = Number(count);
const say = (line: string) => new Promise<void>((done) => process.stdout.write(`${line}\n`, () => done()));

await say('ready');
for (let round = 1; round <= rounds; round += 1) {
  if (work?.startsWith('insert')) await say(String((await store.insertPasskey(newPasskey())).id));
  if (work === 'regress') {
    await store.recordCounterRegression(1, START);
    await say(String(round));
  }
  if (work === 'torture') await say(await anyChange());
  if (work === 'torture-faulty') await say(await anyChange().catch(failed));
  if (work === 'count') await say(await countUp());
  if (work === 'exhaust') for (const line of await withoutDescriptors()) await say(line);
  if (work?.startsWith('read')) await say(String((await store.findPasskey(1))?.counterRegressions));
}
await store.close();

/** Registers, logs in, revokes or lists; says which, and of which passkey. */
async function anyChange(): Promise<string> {
  const passkeys = await store.listPasskeys();
  const passkey = passkeys[random.below(passkeys.length)];
  const chance = random.below(100);
  if (passkey === undefined || chance < 30) {
    if ((await store.countOwners()) === 0) await store.insertOwner(newOwner());
    const made = await store.insertPasskey(newPasskey());
    return `registered ${made.id} ${Buffer.from(made.credential.id).toString('hex')}`;
  }
  const { id, credential } = passkey;
  if (chance < 40) {
    const change = await store.revokePasskeys([id], { at: START, reason: 'torture' });
    return change.status === 'done' ? `revoked ${id}` : `fault passkey ${id} is missing`;
  }
  if (chance < 90) {
    const use = {
      expectedSignCount: credential.signCount,
      signCount: credential.signCount + 1,
      backupState: false,
      uvInitialized: true,
      lastUsedAt: START,
    };
    const { status } = await store.recordLogin({ passkeyId: id, use, opens: newLogin() });
    return status === 'changed' ? `refused ${id}` : `used ${id} ${use.signCount}`;
  }
  return `listed ${passkeys.length}`;
}

/**
 * Raises a number in a file under a lock, in two steps: two holders would read the same. Says the number, how often other processes raised
 * it while this one waited, and for how many milliseconds it waited.
 */
async function countUp(): Promise<string> {
  const file = `${path}.count`;
  const read = (): number => Number(existsSync(file) ? readFileSync(file, 'utf8') : 0);
  const before = read();
  const since = performance.now();
  const lock = await acquireFileLock(`${file}.lock`);
  const waited = Math.round(performance.now() - since);
  try {
    const next = read() + 1;
    for (let turns = random.below(10); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(`${file}.${process.pid}`, String(next));
    lock.assertHeld();
    renameSync(`${file}.${process.pid}`, file);
    return `${next} ${next - 1 - before} ${waited}`;
  } finally {
    await lock.release();
  }
}

function shown(error: unknown): string {
  return error instanceof PasskeyError ? `${error.code} ${error.message}` : String(error);
}

function failed(error: unknown): string {
  return `failed ${shown(error)}`;
}

/** What a change answers while no file can be opened, and afterwards. */
async function withoutDescriptors(): Promise<string[]> {
  const files: number[] = [];
  try {
    for (;;) files.push(openSync(path, 'r'));
  } catch {
    // There are no more.
  }
  const outcome = () =>
    store.insertPasskey(newPasskey()).then(
      ({ id }) => `inserted ${id}`,
      (error: unknown) => shown(error),
    );
  const during = await outcome();
  for (const file of files) closeSync(file);
  return [during, await outcome()];
}
