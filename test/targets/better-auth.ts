import { randomBytes } from 'node:crypto';
import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { listen, type Target } from './http.js';

/** The real better-auth with its passkey plugin, below `/api/auth`, with sign-up by e-mail and its adapter in memory. */
export function startBetterAuth(): Promise<Target> {
  return listen((url) => {
    const auth = betterAuth({
      baseURL: url,
      secret: randomBytes(32).toString('hex'),
      database: memoryAdapter({ user: [], session: [], account: [], verification: [], passkey: [] }),
      emailAndPassword: { enabled: true },
      logger: { disabled: true },
      telemetry: { enabled: false },
      plugins: [passkey({ rpID: 'localhost', rpName: 'better-auth', origin: url })],
    });
    const handle = toNodeHandler(auth);
    return (request, response) => void handle(request, response);
  });
}
