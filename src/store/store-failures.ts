import { PasskeyError } from '../errors.js';
import { clause } from '../kernel/wording.js';
import { FileDamage, NewerVersion } from './file-damage.js';
import { storeFailure, systemErrorCode } from './file-system.js';
import { UnreleasedFormat } from './log-file.js';

/** Converts an error from reading a store to a PasskeyError. */
export function readFailure(path: string, cause: unknown): unknown {
  if (cause instanceof FileDamage) {
    return new PasskeyError(
      'store_damaged',
      `The store ${path}:${cause.place} is damaged: ${clause(cause.message)}. Nothing was changed. Correct it, save what can be read with \`passkey store repair\`, restore a copy, or move it away to start with an empty one.`,
      { cause },
    );
  }
  if (cause instanceof NewerVersion) {
    return new PasskeyError(
      'store_unavailable',
      `Expected version ${cause.expected} of the format in the store ${path}; got ${cause.version}. A newer passkey wrote it: use that version, or name another store with --store.`,
    );
  }
  if (systemErrorCode(cause) === 'ENOENT') return storeAbsent(path);
  if (cause instanceof UnreleasedFormat) return unreleasedFormat(path);
  return storeFailure('read', path, cause);
}

export function unreleasedFormat(path: string): PasskeyError {
  return new PasskeyError(
    'store_unavailable',
    `${path} was written by an unreleased build of passkey. Use that build, or choose another --store.`,
  );
}

/** Converts an error from writing a new file (the one of `--out`) to a PasskeyError. */
export function newFileFailure(out: string, cause: unknown): unknown {
  if (systemErrorCode(cause) === 'EEXIST') {
    return new PasskeyError('usage', `Expected --out to name a new file; ${out} exists. Name another.`, { cause });
  }
  return storeFailure('write', out, cause, { noun: 'file', flag: '--out' });
}

function storeAbsent(path: string): PasskeyError {
  return new PasskeyError(
    'store_absent',
    `There is no store at ${path}. Create one with \`passkey serve\` or \`passkey user add\`, or name another with --store or PASSKEY_STORE.`,
  );
}
