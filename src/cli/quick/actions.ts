import type { Flags } from '../config/resolve.js';
import type { Io } from '../io.js';

/** One command's work. Answers an exit code, or nothing for 0. */
type Work = (io: Io, flags: Flags, args: readonly string[]) => Promise<number | void>;

/**
 * What the commands do whose command lines are read without commander, by their words. The definitions take it from here too. Each imports
 * its command when it runs.
 */
export const QUICK_ACTIONS = {
  list: async (io, flags) => (await import('../commands/list.js')).run(io, flags),
  show: async (io, flags, [id = '']) => (await import('../commands/show.js')).run(io, flags, id),
  revoke: async (io, flags, ids) => (await import('../commands/revoke.js')).revoke(io, flags, ids),
  restore: async (io, flags, ids) => (await import('../commands/revoke.js')).restore(io, flags, ids),
  purge: async (io, flags) => (await import('../commands/purge.js')).run(io, flags),
  'user add': async (io, flags) => (await import('../commands/user.js')).add(io, flags),
  'user list': async (io, flags) => (await import('../commands/user-list.js')).list(io, flags),
  'user remove': async (io, flags, names) => (await import('../commands/user-remove.js')).remove(io, flags, names),
  'token create': async (io, flags) => (await import('../commands/token.js')).create(io, flags),
  'token list': async (io, flags) => (await import('../commands/token-list.js')).list(io, flags),
  'token revoke': async (io, flags, ids) => (await import('../commands/token-revoke.js')).revoke(io, flags, ids),
  explain: async (io, flags, names) => (await import('../commands/explain.js')).run(io, flags, names),
  serve: async (io, flags) => (await import('../commands/serve.js')).run(io, flags),
} satisfies Record<string, Work>;

export type QuickName = keyof typeof QUICK_ACTIONS;
