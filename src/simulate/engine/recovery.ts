import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { PasskeyError } from '../../errors.js';
import { groupLives, HAS_GROUPS, killGroup } from '../target/process-group.js';
import { type HttpTarget, OversizedAnswer } from './http.js';

/** What became of a target whose connection broke. */
export interface Recovery {
  /** For the report of the case. */
  readonly remark: string;
  /** Whether it answers again. */
  readonly alive: boolean;
  /** Whether it may have forgotten what it knew: it did not answer for a while. */
  readonly restarted: boolean;
}

export interface RecoveryOptions {
  readonly target: HttpTarget;
  /** Shell command that starts the target again. It may go on running, and is ended with the run. */
  readonly restart: string | undefined;
  /** Milliseconds that it is waited for where there is no command; default: 10 seconds. */
  readonly comeBackWithin: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds in which a target that lives answers something. */
const ALIVE_WITHIN_MS = 3000;
/** As long as a supervisor may take to start it again. */
const COME_BACK_MS = 10_000;
/** Milliseconds that a restarted target may take to answer. */
const START_MS = 60_000;
const POLL_MS = 200;
/** Milliseconds that it has to end by itself. */
const END_WITHIN_MS = 2000;

/** Waits for a target that died, hangs or resets connections, and starts it again where there is a command for it. */
export function createRecovery({ target, restart, comeBackWithin = COME_BACK_MS, signal }: RecoveryOptions) {
  let child: ChildProcess | undefined;

  async function answers(): Promise<boolean> {
    try {
      await target.send({ method: 'GET', path: '/', cleanUpWithin: ALIVE_WITHIN_MS });
      return true;
    } catch (error) {
      return error instanceof OversizedAnswer;
    }
  }

  async function answersWithin(milliseconds: number): Promise<boolean> {
    for (let waited = 0; waited <= milliseconds; waited += POLL_MS) {
      if (await answers()) return true;
      if (signal?.aborted) throw new PasskeyError('interrupted', 'The run was interrupted.');
      await setTimeout(POLL_MS);
    }
    return false;
  }

  /** Ends the command and what it has started: a target that hangs may not even take the signal, and would keep its port. */
  async function end(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined) return;
    killGroup(ending, 'SIGTERM');
    for (let waited = 0; waited < END_WITHIN_MS && groupLives(ending); waited += POLL_MS) await setTimeout(POLL_MS);
    killGroup(ending, 'SIGKILL');
  }

  async function start(command: string): Promise<void> {
    await end();
    child = spawn(command, { shell: true, stdio: 'ignore', detached: HAS_GROUPS });
    // What it cannot start never answers.
    child.on('error', () => undefined);
    child.unref();
  }

  async function recover(): Promise<Recovery> {
    if (await answers()) return { remark: 'the connection broke; the target goes on answering', alive: true, restarted: false };
    if (restart === undefined) {
      const alive = await answersWithin(comeBackWithin);
      const remark = alive
        ? 'the connection broke; the target answered again after a pause'
        : `the target stopped answering, and did not come back within ${comeBackWithin / 1000} s; --restart CMD would start it again`;
      return { remark, alive, restarted: true };
    }
    await start(restart);
    const alive = await answersWithin(START_MS);
    const remark = alive
      ? 'the target stopped answering and was restarted (--restart)'
      : `the target stopped answering; after --restart it did not answer within ${START_MS / 1000} s`;
    return { remark, alive, restarted: true };
  }

  let recovering: Promise<Recovery> | undefined;
  return {
    /** Scenarios that run at once break together: one of them restarts the target for all. */
    recover() {
      recovering ??= recover().finally(() => {
        recovering = undefined;
      });
      return recovering;
    },
    close: end,
  };
}
