import { dirname, isAbsolute, join } from 'node:path';
import type { StreamKeeper } from '../../server/stream/port.js';
import { DEFAULT_FOLDER } from '../../store/file-system.js';
import { createStreamFile } from '../../store/stream-file.js';
import type { ExecSettings } from '../config/settings.js';

interface StreamPlace extends Pick<ExecSettings, 'store' | 'production'> {
  /** Where the command was run. */
  readonly cwd: string;
  /** Told once why something is lost. */
  readonly onFailure: (reason: string) => void;
}

/**
 * The stream of the test page stays beside the passkeys, in `stream.jsonl`; that of a database where the command was run. It ends with a
 * store in memory, and there is none in production.
 */
export function streamKeeper({ store, production, cwd, onFailure }: StreamPlace): StreamKeeper | undefined {
  if (production || store === 'memory:') return undefined;
  const folder = isAbsolute(store) ? dirname(store) : join(cwd, DEFAULT_FOLDER);
  return createStreamFile(join(folder, 'stream.jsonl'), { onFailure });
}
