import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { type StartTimer, whenQuiet } from '../../../src/cli/serve/when-quiet.js';

/** A server that nobody listens to, and timers that run out when they are told. */
function begin() {
  const server = createServer();
  const timers = new Set<() => void>();
  let done = 0;
  const start: StartTimer = (then) => {
    timers.add(then);
    return () => void timers.delete(then);
  };
  const stop = whenQuiet(server, () => (done += 1), start);
  const runOut = () => {
    for (const then of timers) {
      timers.delete(then);
      then();
    }
  };
  return {
    request: () => server.emit('request'),
    listeners: () => server.listenerCount('request'),
    timers,
    runOut,
    stop,
    done: () => done,
  };
}

test('the work waits for a quiet moment, and is done once', () => {
  const { done, runOut, timers, listeners } = begin();
  expect([done(), timers.size, listeners()]).toEqual([0, 1, 1]);
  runOut();
  runOut();
  expect([done(), timers.size, listeners()]).toEqual([1, 0, 0]);
});

test('every request puts it off', () => {
  const starts: number[] = [];
  const server = createServer();
  let ended = 0;
  whenQuiet(
    server,
    () => {},
    (_then, milliseconds) => {
      starts.push(milliseconds);
      return () => (ended += 1);
    },
  );
  server.emit('request');
  server.emit('request');
  expect([starts.length, ended, new Set(starts).size]).toEqual([3, 2, 1]);
});

test('it is called off with the server', () => {
  const { stop, runOut, timers, listeners, done } = begin();
  stop();
  runOut();
  expect([done(), timers.size, listeners()]).toEqual([0, 0, 0]);
});
