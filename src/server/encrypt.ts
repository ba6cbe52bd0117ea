import type { Server } from 'node:http';
import { createServer, type SecureContextOptions } from 'node:tls';

/** How long a client may take for the TLS handshake, in milliseconds. */
const HANDSHAKE = 10_000;

/**
 * Encrypts every connection of a server with TLS, whichever socket accepted the connection. Call this function after adding all
 * `connection` listeners.
 */
export function encryptConnections(server: Server, { cert, key }: Required<Pick<SecureContextOptions, 'cert' | 'key'>>): void {
  const listeners = server.listeners('connection');
  const encrypted = createServer({ cert, key, handshakeTimeout: HANDSHAKE, ALPNProtocols: ['http/1.1'] }, (socket) => {
    for (const listener of listeners) Reflect.apply(listener, server, [socket]);
  });
  // A client that distrusts the certificate, or speaks plain HTTP.
  encrypted.on('tlsClientError', (_, socket) => socket.destroy());
  server.removeAllListeners('connection').on('connection', (socket) => encrypted.emit('connection', socket));
}
