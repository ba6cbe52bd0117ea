import { vi } from 'vitest';
import { DevTools } from '../../src/browse/devtools.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';

export interface Command {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly sessionId?: string;
}

/** The browser's answer to a command: its result, an error, or silence. */
export type Reply = { readonly result: JsonObject } | { readonly error: JsonObject } | undefined;

/** Replies by the name of the command: with a result, or as a function says. A command that is not in the table gets an empty result. */
export type Replies = Readonly<Record<string, JsonObject | ((command: Command) => Reply)>>;

export const replyWith =
  (table: Replies) =>
  (command: Command): Reply => {
    const entry = table[command.method] ?? {};
    return typeof entry === 'function' ? entry(command) : { result: entry };
  };

/** Replies in turn, and then always with the last result. */
export function inTurn(...results: readonly JsonObject[]): () => Reply {
  let next = 0;
  return () => {
    const result = results[Math.min(next, results.length - 1)] ?? {};
    next += 1;
    return { result };
  };
}

export const refuse = (message: string) => (): Reply => ({ error: { message } });

/** A browser that replies as the test says, by default with an empty result. */
export function connectScripted(reply: (command: Command) => Reply = () => ({ result: {} })) {
  const sent: Command[] = [];
  const closes: string[] = [];
  let receive: (text: string) => void = () => {};
  let drop: () => void = () => {};
  const devtools = new DevTools((receiver) => {
    receive = (text) => receiver.receive(text);
    drop = () => receiver.closed();
    return {
      send(text) {
        const command: Command = JSON.parse(text);
        sent.push(command);
        const answer = reply(command);
        if (answer !== undefined) receive(JSON.stringify({ id: command.id, ...answer }));
      },
      close: () => void closes.push('closed'),
    };
  });
  return {
    devtools,
    sent,
    /** Once for each time that this side closed the connection. */
    closes,
    receive: (text: string) => receive(text),
    drop: () => drop(),
    tell: (method: string, params: JsonObject, sessionId?: string) => receive(JSON.stringify({ method, params, sessionId })),
    /** The commands so far, without their numbers. */
    list: () => sent.map(({ method, params, sessionId }) => [method, params, sessionId] as const),
    commands: (method: string) => sent.filter((command) => command.method === method),
  };
}

/** The outcome of an action, and how many milliseconds of the fake clock it took: at most ten seconds, or the test does not end. */
export async function time<Result>(action: Promise<Result>) {
  const begun = Date.now();
  const timed = action.then(
    (result) => ({ result, spent: Date.now() - begun }),
    (error: unknown) => ({ error, spent: Date.now() - begun }),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  return await timed;
}

/** A quad whose middle is 22, 34. */
export const QUAD = [10, 20, 30, 22, 34, 44, 14, 50];

/** A page that has every control, visible, and lets every click through. */
export const CONTROLS: Replies = {
  'DOM.getDocument': { root: { nodeId: 11 } },
  'Accessibility.queryAXTree': { nodes: [{ backendDOMNodeId: 21 }] },
  'DOM.getContentQuads': { quads: [QUAD, [0, 0, 1, 0, 1, 1, 0, 1]] },
  'DOM.resolveNode': { object: { objectId: 'object-21' } },
  'Runtime.callFunctionOn': { result: { value: '' } },
};

const EXTENSION: Replies = {
  'Extensions.loadUnpacked': { id: 'abc' },
  'Extensions.getExtensions': { extensions: [{ id: 'other' }, { id: 'abc' }] },
  'Target.attachToTarget': { sessionId: 'worker' },
  'Runtime.evaluate': { result: { type: 'undefined' } },
};

/** A browser that starts the worker of the extension, and replies to some commands otherwise. */
export function startBrowser(replies: Replies = {}, whenBound = (begin: () => void): void => begin()) {
  const reply = replyWith({ ...EXTENSION, ...replies });
  const browser = connectScripted((command) => {
    const { method, sessionId } = command;
    if (method === 'Target.setDiscoverTargets') listTargets();
    if (method === 'Runtime.addBinding' && sessionId === 'worker') whenBound(begin);
    return reply(command);
  });
  const { tell } = browser;
  const begin = () => tell('Runtime.bindingCalled', { name: 'passkeyBrowse', payload: '{"call":"started"}' }, 'worker');
  function listTargets() {
    const worker = (type: string, id: string, targetId: string) => ({
      targetInfo: { type, url: `chrome-extension://${id}/worker.js`, targetId },
    });
    tell('Target.targetCreated', worker('service_worker', 'other', 'of another extension'));
    tell('Target.targetCreated', worker('page', 'abc', 'no worker'));
    tell('Target.targetInfoChanged', worker('service_worker', 'abc', 'no new target'));
    tell('Target.targetCreated', worker('service_worker', 'abc', 'target'));
  }
  return {
    ...browser,
    /** The credential ID that marks the conditional calls of a page. */
    readMark(session: string): JsonObject {
      const sources = browser.sent.map(({ sessionId, params }) => (sessionId === session ? String(params['source']) : ''));
      const [, bytes = ''] = sources.map((source) => /new Uint8Array\(\[([\d,]+)\]\)/.exec(source)).find((found) => found !== null) ?? [];
      return { type: 'public-key', id: encodeBase64url(Uint8Array.from(bytes.split(',').map(Number))) };
    },
  };
}
