import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { asObject, type JsonObject } from '../../../src/kernel/json-value.js';
import { until } from '../../until.js';
import { tempFolder } from '../temp-folder.js';
import { BEGUN } from './browsed.js';

export interface Command {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly sessionId?: string;
}

/** Results of commands, by their method; undefined: the browser never replies. */
type Results = Readonly<Record<string, (command: Command) => JsonObject | undefined>>;

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly session?: string;
}

/** Passes what a browser reads and writes to the test, its command line first, and ends when one side does. */
const writeProgram = (address: string): string => `#!${process.execPath}
const { connect, Socket } = require('node:net');
const test = connect(${JSON.stringify(address)}).on('close', () => process.exit());
test.write(JSON.stringify(process.argv.slice(2)) + '\\0');
new Socket({ fd: 3, writable: false }).on('error', () => process.exit()).pipe(test);
test.pipe(new Socket({ fd: 4, readable: false }).on('error', () => process.exit()));
`;

const WORKER = 'worker';
const EXTENSION = 'abc';
const USUAL: Results = {
  'Extensions.loadUnpacked': () => ({ id: EXTENSION }),
  'Extensions.getExtensions': () => ({ extensions: [{ id: EXTENSION }] }),
  'Target.attachToTarget': () => ({ sessionId: WORKER }),
  'Runtime.evaluate': () => ({ result: {} }),
};

/** A program that `passkey browse` starts as its browser. The test plays it. Windows has no such script. */
export async function playBrowser(results: Results = {}) {
  const folder = await tempFolder();
  const [program, address] = [join(folder, 'browser'), join(folder, 'socket')];
  await writeFile(program, writeProgram(address), { mode: 0o755 });
  const sent: Command[] = [];
  let argv: readonly string[] | undefined;
  let connection: Socket | undefined;
  let requests = 0;
  const bodies = new Map<unknown, string>();
  const write = (message: JsonObject) => connection?.write(`${JSON.stringify(message)}\0`);
  const tell = (method: string, params: JsonObject, sessionId?: string) => void write({ method, params, sessionId });
  const commands = (method: string) => sent.filter((command) => command.method === method);
  const hear = (command: Command) => {
    const { id, method, params, sessionId } = command;
    sent.push(command);
    const usual = USUAL[method] ?? (() => ({}));
    const result = method === 'Network.getResponseBody' ? { body: bodies.get(params['requestId']) } : (results[method] ?? usual)(command);
    if (result !== undefined) write({ id, result });
    if (method === 'Target.setDiscoverTargets') {
      tell('Target.targetCreated', {
        targetInfo: { type: 'service_worker', url: `chrome-extension://${EXTENSION}/worker.js`, targetId: 'target' },
      });
    }
    if (method === 'Runtime.addBinding' && sessionId === WORKER) tellWorker({ call: 'started' });
  };
  const tellWorker = (event: JsonObject) =>
    tell('Runtime.bindingCalled', { name: 'passkeyBrowse', payload: JSON.stringify(event) }, WORKER);
  const server = createServer((socket) => {
    connection = socket.setEncoding('utf8');
    let rest = '';
    socket.on('data', (text: string) => {
      const parts = `${rest}${text}`.split('\0');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const message = JSON.parse(part);
        if (argv === undefined) argv = message;
        else hear(message);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(address, resolve));
  onTestFinished(async () => {
    connection?.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    program,
    sent,
    commands,
    tell,
    argv: () => argv,
    /** Writes text that is no message, or the end of the browser. */
    say: (text: string) => void connection?.write(text),
    quit: () => void connection?.end(),
    /** A page calls `navigator.credentials`. Resolves to what it gets. */
    async call(call: 'create' | 'get', options: JsonObject): Promise<JsonObject> {
      requests += 1;
      const requestId = requests;
      tellWorker({ call, requestId, requestDetailsJson: JSON.stringify(options) });
      let details: JsonObject = {};
      await until(() =>
        commands('Runtime.evaluate').some(({ params }) => {
          const answered = /^chrome\.webAuthenticationProxy\.complete(?:Create|Get)Request\((.*)\)$/.exec(String(params['expression']));
          details = asObject(answered === null ? undefined : JSON.parse(answered[1] ?? ''));
          return details['requestId'] === requestId;
        }),
      );
      return typeof details['responseJson'] === 'string' ? JSON.parse(details['responseJson']) : { error: details['error'] };
    },
    /** A page sends JSON to its server, which answers. */
    exchange(url: string, sends: unknown, { status, body, session = 'page' }: Answered): void {
      requests += 1;
      const requestId = `request ${requests}`;
      const postData = JSON.stringify(sends);
      const request = { method: 'POST', url, headers: {}, postData, hasPostData: true };
      tell(
        'Network.requestWillBeSent',
        { requestId, request, type: 'Fetch', documentURL: url, wallTime: (BEGUN + requests) / 1000 },
        session,
      );
      tell('Network.responseReceived', { requestId, response: { status, headers: {}, mimeType: 'application/json' } }, session);
      bodies.set(requestId, body);
      tell('Network.loadingFinished', { requestId }, session);
    },
  };
}
