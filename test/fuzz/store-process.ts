// Run as a process of its own: opens the store that a message names, and performs the operations that further messages bring.
import { openJsonFileStore } from '../../src/store/json-file.js';
import type { Store } from '../../src/store/store.js';
import type { Operation } from './store-model.js';
import { perform } from './store-operations.js';

export type ToProcess = { readonly open: string } | { readonly operation: Operation; readonly number: number };
export interface FromProcess {
  readonly number: number;
  readonly answer: string;
}

let store: Store | undefined;

async function answer(message: ToProcess): Promise<FromProcess> {
  if ('open' in message) {
    await store?.close();
    store = await openJsonFileStore(message.open, { create: true });
    return { number: 0, answer: 'open' };
  }
  if (store === undefined) throw new Error('Expected the path of a store first.');
  return { number: message.number, answer: await perform(store, message.operation) };
}

process.on('message', (message: ToProcess) => {
  answer(message).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ number: 'open' in message ? 0 : message.number, answer: `threw ${String(error)}` }),
  );
});
