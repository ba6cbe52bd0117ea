import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Client } from 'pg';
import { isLoopbackAddress } from '../../webauthn/loopback.js';

declare module 'pg' {
  interface Client {
    /** Returns the parameters with which a session starts. pg's types lack this method. */
    getStartupConf(): Record<string, string>;
  }
}

/**
 * Extends pg's client so that no server can end this process, keep it from ending, or obtain a password in clear text:
 *
 * - A message that pg cannot read ends the connection with an error. Otherwise pg would throw it in a listener, where it cannot be caught.
 * - An error between two uses of the connection, when pg's pool has no listener, is ignored. The next query then fails.
 * - A connection that fails before it is ready is closed, even if the server would keep it open.
 *
 * @param Base pg's own client, which is loaded late.
 * @param open set to which each client is added, and from which it is removed when its connection has ended.
 */
export function guardedClient(Base: typeof Client, open: Set<Client>): typeof Client {
  return class extends Base {
    constructor(...config: ConstructorParameters<typeof Client>) {
      super(...config);
      const { connection } = this;
      endOnUnreadable(connection.stream);
      // With TLS, pg replaces the stream by the one that decrypts.
      connection.on('sslconnect', () => endOnUnreadable(connection.stream));
      connection.on('authenticationCleartextPassword', () => refuseCleartext(connection.stream));

      open.add(this);
      this.once('end', () => open.delete(this));
      this.on('error', () => undefined);

      let isReady = false;
      this.once('connect', () => {
        isReady = true;
      });
      const closeUnready = () => {
        if (!isReady) connection.stream.destroy();
      };
      connection.on('error', closeUnready);
      connection.on('errorMessage', closeUnready);
    }

    /**
     * Adds the format in which times are read to the session parameters. Uses a separate parameter, which PgBouncer supports. pg itself
     * would use `options`, which Debian's version of PgBouncer refuses.
     */
    override getStartupConf(): Record<string, string> {
      return { ...super.getStartupConf(), datestyle: 'ISO' };
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

/**
 * Closes the connection before pg sends the password in clear text. Exempts sockets without an address: they are Unix sockets, which need
 * no TLS.
 */
function refuseCleartext(stream: Duplex): void {
  const address = 'remoteAddress' in stream ? stream.remoteAddress : undefined;
  if (stream instanceof TLSSocket || typeof address !== 'string' || isLoopbackAddress(address)) return;
  stream.destroy(new CleartextRefused());
}

class CleartextRefused extends Error {
  readonly code = CLEARTEXT_REFUSED;

  constructor() {
    super('the server asks for the password in clear text, and the connection is not encrypted');
  }
}

export const CLEARTEXT_REFUSED = 'CLEARTEXT_REFUSED';
