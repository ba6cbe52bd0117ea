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
    commands: (method: string) => sent.filter((command) => command.method === method),
  };
}
