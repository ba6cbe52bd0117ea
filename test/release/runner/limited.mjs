// One process with a limit on its time, and nothing that it has started left running after it.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';

const HAS_GROUPS = process.platform !== 'win32';
/** In the environment of every process that the one has started, so that those with a group of their own are found too. */
const MARK = 'PASSKEY_RELEASE_RUN';
const LOOK = 100;

/**
 * Runs Node with these arguments.
 *
 * @param limit how long it may take, in milliseconds.
 * @param grace how long what it has started may take to end after it, in milliseconds.
 * @param signal ends it early.
 * @returns how it ended: `late` when the limit ended it, `left` the commands that were still running, which are ended now.
 */
export async function runLimited(argv, { cwd, env = process.env, limit, grace, signal }) {
  const mark = randomUUID();
  // With a group of its own it is ended with all that it has started. It never reads.
  const child = spawn(process.execPath, argv, {
    cwd,
    env: { ...env, [MARK]: mark },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: HAS_GROUPS,
  });
  const closed = once(child, 'exit');
  let late = false;
  /** @type {Promise<unknown>[]} */
  const ending = [];
  const end = () => {
    ending.push(endAll(() => running(child, mark), grace).finally(() => child.kill('SIGKILL')));
  };
  const timer = setTimeout(() => {
    late = true;
    end();
  }, limit);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const [code] = await closed;
    await Promise.all(ending);
    return { code, late, left: await waitUntilGone(child, mark, grace) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** Commands that are still there when the time is up. */
async function waitUntilGone(child, mark, grace) {
  let left = await running(child, mark);
  for (let waited = 0; left.length > 0 && waited < grace; waited += LOOK) {
    await sleep(LOOK);
    left = await running(child, mark);
  }
  if (left.length > 0) await endAll(() => running(child, mark), grace);
  return left.map(({ command }) => command);
}

/** Ends what `find` finds, politely first. */
async function endAll(find, grace) {
  for (const { pid } of await find()) kill(pid, 'SIGTERM');
  for (let waited = 0; waited < grace && (await find()).length > 0; waited += LOOK) await sleep(LOOK);
  for (const { pid } of await find()) kill(pid, 'SIGKILL');
}

/** What runs in the group of a process or bears its mark. Where there is no /proc, the group as a whole. */
async function running({ pid }, mark) {
  const names = await readdir('/proc').catch(() => []);
  const processes = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  if (processes.length === 0) return HAS_GROUPS && kill(-pid, 0) ? [{ pid: -pid, command: 'its process group' }] : [];
  const found = await Promise.all(processes.map((name) => describe(name, pid, mark)));
  return found.filter((process) => process !== undefined);
}

async function describe(name, group, mark) {
  const read = (file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '');
  // The name of the program stands in parentheses, and may have some itself.
  const [state, , processGroup] = (await read('stat')).replace(/^.*\) /s, '').split(' ');
  if (state === undefined || state === '' || state === 'Z') return undefined;
  const isOurs = Number(processGroup) === group || (await read('environ')).includes(`${MARK}=${mark}`);
  return isOurs ? { pid: Number(name), command: (await read('cmdline')).split('\0').join(' ').trim().slice(0, 200) } : undefined;
}

/** @returns false when there is nobody to send it to. */
function kill(pid, signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
