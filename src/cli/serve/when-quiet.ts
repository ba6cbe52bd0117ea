import type { Server } from 'node:http';

/** Calls `then` after a time, unless what it answers is called before. */
export type StartTimer = (then: () => void, milliseconds: number) => () => void;

/** Keeps no process from ending. */
const startTimer: StartTimer = (then, milliseconds) => {
  const timer = setTimeout(then, milliseconds).unref();
  return () => clearTimeout(timer);
};

/** Milliseconds without a request. */
const QUIET = 200;

/**
 * Does something once, as soon as nobody has asked a server for a moment: who waits for its answer does not wait for that as well.
 *
 * @returns a function that calls it off.
 */
export function whenQuiet(server: Pick<Server, 'on' | 'off'>, work: () => void, start: StartTimer = startTimer): () => void {
  const stop = () => {
    stopTimer();
    server.off('request', again);
  };
  const begin = () => {
    stop();
    work();
  };
  const again = () => {
    stopTimer();
    stopTimer = start(begin, QUIET);
  };
  let stopTimer = start(begin, QUIET);
  server.on('request', again);
  return stop;
}
