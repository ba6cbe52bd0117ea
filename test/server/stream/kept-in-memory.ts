import type { StreamKeeper } from '../../../src/server/stream/port.js';

/** A keeper whose lines stay here; those of several starts, one after the other. */
export function keptLines(lines: string[] = []): StreamKeeper & { readonly lines: string[] } {
  return {
    lines,
    append: (more) => void lines.push(...more),
    read: async () => [...lines],
    clear: async () => void lines.splice(0),
    settled: async () => {},
  };
}
