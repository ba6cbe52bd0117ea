// Run as a process of its own: WORK PATH COUNT, WORK being insert, regress or read, all but regress also with -unprivileged. Says what it has done line by line, once it is done.
import { openJsonFileStore } from '../../src/store/json-file.js';
import { newPasskey, START } from '../contract/samples.js';

const [work, path = '', count] = process.argv.slice(2);
// Permissions mean nothing to root.
if (work?.endsWith('-unprivileged') && process.getuid?.() === 0) process.setuid?.(65_534);
const store = await openJsonFileStore(path, { create: true });
const rounds = Number(count);
const say = (line: string) => new Promise<void>((done) => process.stdout.write(`${line}\n`, () => done()));

await say('ready');
for (let round = 1; round <= rounds; round += 1) {
  if (work?.startsWith('insert')) await say(String((await store.insertPasskey(newPasskey())).id));
  if (work === 'regress') {
    await store.recordCounterRegression(1, START);
    await say(String(round));
  }
  if (work?.startsWith('read')) await say(String((await store.findPasskey(1))?.counterRegressions));
}
await store.close();
