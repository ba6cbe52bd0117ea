import { DevTools } from '../../src/browse/devtools.js';
import type { JsonObject } from '../../src/kernel/json-value.js';

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
