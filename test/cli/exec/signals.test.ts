import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { passSignals } from '../../../src/cli/exec/signals.js';
import type { Io } from '../../../src/cli/io.js';
import { fakeIo } from '../fake-io.js';

/** A process with a clock of ours. */
function passing(terminal: boolean) {
  const signals = new EventEmitter();
  const clock = { at: 1_000_000 };
  const io: Io = { ...fakeIo({ terminal }).io, signals, now: () => clock.at };
  const passer = passSignals(io);
  const passed: string[] = [];
  return { signals, clock, passer, passed, listen: () => passer.passTo((signal) => passed.push(signal)) };
}

test('passes signals on, what npm repeats at once only once', () => {
  const { signals, clock, passed, listen } = passing(false);
  listen();
  signals.emit('SIGINT');
  clock.at += 499;
  signals.emit('SIGINT');
  signals.emit('SIGTERM');
  clock.at += 1;
  signals.emit('SIGINT');
  clock.at -= 10_000;
  signals.emit('SIGINT');
  signals.emit('SIGHUP');
  signals.emit('SIGQUIT');
  expect(passed).toEqual(['SIGINT', 'SIGTERM', 'SIGINT', 'SIGINT', 'SIGHUP', 'SIGQUIT']);
});

test('leaves to a terminal what it sends to the command by itself', () => {
  const { signals, passer, passed, listen } = passing(true);
  listen();
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP']) signals.emit(signal);
  expect(passed).toEqual(['SIGTERM', 'SIGHUP']);
  expect(passer.missed).toBeUndefined();
});

test('keeps the first that comes before there is a command, and lets go in the end', () => {
  const { signals, passer, passed, listen } = passing(true);
  signals.emit('SIGINT');
  signals.emit('SIGTERM');
  expect(passer.missed).toBe('SIGINT');
  listen();
  passer.passTo(undefined);
  signals.emit('SIGHUP');
  expect(passed).toEqual([]);
  passer.off();
  expect(signals.eventNames()).toEqual([]);
});

describe.skipIf(process.platform === 'win32')('the end of the npm that started the process', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** A process whose parent ends after some milliseconds. */
  function started(env: Readonly<Record<string, string>>, end: number) {
    let elapsed = 0;
    vi.spyOn(process, 'ppid', 'get').mockImplementation(() => (elapsed < end ? 70 : 1));
    const passer = passSignals(fakeIo({ env }).io);
    const passed: string[] = [];
    passer.passTo((signal) => passed.push(signal));
    const pass = (milliseconds: number) => {
      elapsed += milliseconds;
      vi.advanceTimersByTime(milliseconds);
      return passed.length;
    };
    return { passer, passed, pass };
  }

  test('is seen within a quarter of a second, and passed on as SIGTERM, once', () => {
    const { passed, pass } = started({ npm_command: 'exec' }, 300);
    expect([pass(249), pass(1), pass(249), pass(1), pass(1_000)]).toEqual([0, 0, 0, 1, 1]);
    expect([passed, vi.getTimerCount()]).toEqual([['SIGTERM'], 0]);
  });

  test('is not looked for without npm, and no longer when all is over', () => {
    expect([started({}, 0).pass(1_000), vi.getTimerCount()]).toEqual([0, 0]);
    const { passer, pass } = started({ npm_command: 'exec' }, 300);
    passer.off();
    expect([pass(1_000), vi.getTimerCount()]).toEqual([0, 0]);
  });
});
