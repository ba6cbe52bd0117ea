import type { Duplex } from 'node:stream';
import type { Client } from 'pg';

/**
 * pg's client, but a message of the server that pg cannot read ends the connection with an error. In pg it is thrown by a listener of the
 * socket's `data`, where nobody can catch it, and ends the process.
 *
 * @param Base pg's own, which is loaded late.
 */
export function guardedClient(Base: typeof Client): typeof Client {
  return class extends Base {
    constructor(...config: ConstructorParameters<typeof Client>) {
      super(...config);
      const { connection } = this;
      endOnUnreadable(connection.stream);
      // With TLS what is decrypted comes from another stream.
      connection.on('sslconnect', () => endOnUnreadable(connection.stream));
    }
  };
}

function endOnUnreadable(stream: Duplex): void {
  const emit = stream.emit.bind(stream);
  stream.emit = (name: string | symbol, ...args: unknown[]): boolean => {
    if (name !== 'data') return emit(name, ...args);
    try {
      return emit(name, ...args);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
      return true;
    }
  };
}
