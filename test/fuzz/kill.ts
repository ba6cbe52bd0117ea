import type { ChildProcess } from 'node:child_process';
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { START } from '../contract/samples.js';
import { collect, passkey, spawnPasskey, startServing } from '../e2e/passkey-process.js';
import { Acknowledged } from './acknowledged.js';
import { loadServer } from './kill-load.js';
import { hold } from './parser.js';
import { Random } from './random.js';
import { type Finding, type Result, reproduce, shownError, tallied } from './report.js';
import type { Run } from './targets.js';

const USER = 'ada@example.com';
/** A write takes a few milliseconds; the kill comes somewhere within or after it. */
const LONGEST_WAIT = 12;
/** Kills of one store: it grows, and its writes with it. */
const EPISODE = 50;

/**
 * Ends `passkey serve` under load, and `passkey` commands, with SIGKILL at random moments, and looks at the store each time: it can be
 * read, everything that was acknowledged is in it, and the next process can change it. The seed decides what is done and how long each
 * kill waits; what the killed process had come to by then is up to the machine.
 */
export async function fuzzKill({ seed, inputs, from = 0, onProgress }: Run): Promise<Result> {
  const outcomes = new Map<string, number>();
  const findings: Finding[] = [];
  for (let index = from; index < from + inputs && findings.length < 3; ) {
    const kills = Math.min(EPISODE, from + inputs - index);
    const finding = await runEpisode(seed, index, kills, outcomes, onProgress);
    if (finding !== undefined) findings.push(finding);
    index += kills;
  }
  const done = [...outcomes].filter(([outcome]) => outcome.startsWith('killed ')).reduce((sum, [, count]) => sum + count, 0);
  return { done, outcomes, findings };
}

async function runEpisode(
  seed: number,
  first: number,
  kills: number,
  outcomes: Map<string, number>,
  onProgress: ((done: number) => void) | undefined,
): Promise<Finding | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-fuzz-kill-'));
  // The store has a folder of its own, so that what else is left there shows.
  const path = join(folder, 'store', 'passkeys.jsonl');
  await mkdir(join(folder, 'store'));
  const scene: Scene = { folder, path, token: '', acknowledged: new Acknowledged(), outcomes };
  let index = first;
  try {
    hold(
      (await passkey(['user', 'add', '--email', USER, '--name', 'Ada', '--store', path], { cwd: folder })).code === 0,
      'a user is added',
    );
    const token = await passkey(['token', 'create', '--user', USER, '--store', path], { cwd: folder });
    scene.token = token.stdout.trim();
    for (; index < first + kills; index += 1) {
      const random = new Random(seed, index);
      await (random.oneIn(3) ? killCommand(scene, random, index) : killServer(scene, random));
      await inspect(scene, index);
      if ((index + 1) % 10 === 0) onProgress?.(index + 1);
    }
    return undefined;
  } catch (error) {
    const detail = `${shownError(error)}\nThe store is kept in ${folder}.`;
    return { title: `kill ${index} of seed ${seed}`, detail, reproduce: reproduce('kill', seed, index) };
  } finally {
    if (index === first + kills) await rm(folder, { recursive: true, force: true });
  }
}

interface Scene {
  readonly folder: string;
  readonly path: string;
  token: string;
  readonly acknowledged: Acknowledged;
  readonly outcomes: Map<string, number>;
}

async function killServer({ folder, path, token, acknowledged, outcomes }: Scene, random: Random): Promise<void> {
  const { child, listening } = startServing(['--store', path, '--log-level', 'silent'], { cwd: folder });
  const { url } = await listening;
  const load = loadServer({ url, token, acknowledged, random });
  await load.answers(1 + random.below(20));
  await sleep(random.below(LONGEST_WAIT));
  await killed(child);
  const { answered, failed } = await load.ended;
  hold(failed === undefined, `a server under load answers rightly until it is killed: ${failed}`);
  tallied(outcomes, 'killed serve');
  tallied(outcomes, `operations acknowledged: ${answered < 10 ? 'up to 10' : 'more'}`);
}

/** Commands that change the store. */
async function killCommand({ folder, path, acknowledged, outcomes }: Scene, random: Random, index: number): Promise<void> {
  const id = acknowledged.somePasskey(random);
  const email = `u${index}@example.com`;
  const commands: readonly { readonly argv: readonly string[]; readonly begin: () => () => void }[] = [
    { argv: ['user', 'add', '--email', email, '--name', email], begin: () => acknowledged.addingUser(email) },
    { argv: ['token', 'create', '--user', USER], begin: () => () => {} },
    ...(id === undefined ? [] : [{ argv: ['revoke', `${id}`, '--yes'], begin: () => acknowledged.revoking(id) }]),
  ];
  const { argv, begin } = random.pick(commands);
  const end = begin();
  const child = spawnPasskey([...argv, '--store', path], { cwd: folder });
  const ended = collect(child);
  // Start-up takes most of the time; half of the kills wait until the command has begun to change the folder.
  const isWatched = random.oneIn(2);
  if (isWatched) await Promise.race([firstChange(join(path, '..')), ended]);
  await sleep(random.below(isWatched ? LONGEST_WAIT : 600));
  child.kill('SIGKILL');
  const { code, stderr } = await ended;
  hold(code === null || code === 0, `a command that is not killed does its work: ${stderr}`);
  if (code === 0) end();
  tallied(outcomes, `${code === 0 ? 'ended before the kill:' : 'killed'} ${argv[0]} ${argv[0] === 'revoke' ? '' : argv[1]}`.trim());
}

async function firstChange(folder: string): Promise<void> {
  let watcher: FSWatcher | undefined;
  await new Promise<void>((resolve) => {
    watcher = watch(folder, () => resolve());
  });
  watcher?.close();
}

async function killed(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}

/** The store as the next process finds it; then it is changed, which needs the lock and takes away what the dead left. */
async function inspect({ path, acknowledged }: Scene, index: number): Promise<void> {
  const store = await openJsonFileStore(path);
  try {
    acknowledged.check(await store.listPasskeys({ revoked: true }), await store.listOwners());
    const { id } = await store.insertOwner({ type: 'Probe', email: `probe${index}@example.com`, name: 'probe', createdAt: START });
    hold((await store.removeOwner({ type: 'Probe', id }, { at: START, reason: 'probe' })) !== undefined, 'the store can be changed');
  } finally {
    await store.close();
  }
  const left = (await readdir(join(path, '..'))).filter(
    (name) => !/^(?:passkeys\.jsonl(?:\.audit\.jsonl)?|stream(?:\.1)?\.jsonl|\.gitignore)$/.test(name),
  );
  hold(left.length === 0, `after the next change nothing of the dead is left: ${left.join(', ')}`);
}
