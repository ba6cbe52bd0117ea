import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';

/** The program that is measured. */
export const BIN = process.env.PASSKEY_BIN ?? join(import.meta.dirname, '../../bin/passkey.js');

/** Starts `passkey serve`, or another program that prints its URL, on a free port of loopback, with at most `descriptors` open files if given. */
export async function serve({ flags = [], descriptors, program = [BIN, 'serve'] } = {}) {
  const args = ['--port', '0', '--host', '127.0.0.1', '--no-open', '--json', '--log-level', 'warn', ...flags];
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors};`;
  const child = spawn('/bin/sh', ['-c', `${limit} exec "$@"`, 'sh', process.execPath, ...program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The end of its log, in pieces: to cut one text for each line took 90 µs of a client that shares the processor with the server.
  const log = [];
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log.push(text);
    if (log.length > 1_000) log.shift();
  });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('}\n')) resolve(JSON.parse(text).url);
    });
    child.once('exit', () => reject(new Error(`the server ended: ${log.join('')}`)));
  });
  const status = () => readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const megabytes = (field) => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status())?.[1]) / 1024);
  return {
    url,
    port: Number(new URL(url).port),
    log: () => log.join(''),
    resident: () => megabytes('VmRSS'),
    /** Microseconds of processor time of all its threads. */
    cpu: () =>
      readdirSync(`/proc/${child.pid}/task`)
        .map((task) => Number(readFileSync(`/proc/${child.pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000)
        .reduce((sum, each) => sum + each, 0),
    peak: () => megabytes('VmHWM'),
    stop: () => child.kill('SIGKILL'),
  };
}

/** A connection that sends `text` and never reads. `state.closed` is when it ended, if it has. */
export function dial(port, text = '') {
  const state = { closed: undefined };
  const socket = createConnection({ port, host: '127.0.0.1' });
  socket.pause();
  socket.on('error', () => {});
  socket.on('close', () => {
    state.closed = performance.now();
  });
  socket.on('connect', () => text !== '' && socket.write(text));
  return { socket, state };
}

export const seconds = (count) => new Promise((resolve) => setTimeout(resolve, count * 1000));

/** One line a figure. */
export function report(what, n, figure) {
  console.log(`${what.padEnd(72)} n=${String(n).padEnd(6)} ${figure}`);
}
