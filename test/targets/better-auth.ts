import { createHash, randomBytes } from 'node:crypto';
import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { listen, type Target } from './http.js';

type MemoryAdapter = ReturnType<typeof memoryAdapter>;

interface AccountOptions {
  /** Seconds. */
  readonly freshAge?: number;
  readonly revokeSessionsOnPasswordReset?: boolean;
}

/**
 * The real better-auth with its passkey plugin, below `/api/auth`, with sign-up by e-mail and its adapter in memory.
 *
 * @param home HTML of `/`, for tests that open a page.
 */
export function startBetterAuth(home?: string, { freshAge, revokeSessionsOnPasswordReset = false }: AccountOptions = {}): Promise<Target> {
  /** The last token of each address, at `/letters/ADDRESS`: stands for a mailbox. */
  const letters = new Map<string, string>();
  return listen((url) => {
    const auth = betterAuth({
      baseURL: url,
      secret: randomBytes(32).toString('hex'),
      database: withoutTransactions(memoryAdapter({ user: [], session: [], account: [], verification: [], passkey: [] })),
      emailAndPassword: {
        enabled: true,
        revokeSessionsOnPasswordReset,
        sendResetPassword: async ({ user, token }) => void letters.set(user.email, token),
        password: { hash: async (password) => digest(password), verify: async ({ hash, password }) => hash === digest(password) },
      },
      ...(freshAge !== undefined && { session: { freshAge } }),
      logger: { disabled: true },
      telemetry: { enabled: false },
      plugins: [passkey({ rpID: 'localhost', rpName: 'better-auth', origin: url })],
    });
    const handle = toNodeHandler(auth);
    return (request, response) => {
      const letter = letters.get(/^\/letters\/(.*)$/.exec(request.url ?? '')?.[1] ?? '');
      if (letter !== undefined) response.end(letter);
      else if (home === undefined || request.url !== '/') void handle(request, response);
      else response.setHeader('content-type', 'text/html; charset=utf-8').end(home);
    };
  });
}

/**
 * Its adapter in memory copies and compares the whole database in each transaction, which costs more than all else where users are many.
 * Without, it works like better-auth's adapters for databases that have no transactions.
 */
const withoutTransactions: (adapter: MemoryAdapter) => MemoryAdapter = (adapter) => (options) => {
  const plain = adapter(options);
  return { ...plain, transaction: (callback) => callback(plain) };
};

/** Nothing for real passwords; better-auth's own hash takes a third of a second for each user. */
const digest = (password: string) => createHash('sha256').update(password).digest('hex');
