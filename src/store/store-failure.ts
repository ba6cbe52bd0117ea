import { PasskeyError } from '../errors.js';

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space.',
  EDQUOT: 'The disk quota is used up: free some space.',
  EROFS: 'The file system is read-only: name a store elsewhere with --store.',
  EACCES: 'Permission denied: check who owns the file and its folder, or name a store elsewhere with --store.',
  EPERM: 'Permission denied: check who owns the file and its folder, or name a store elsewhere with --store.',
  EISDIR: 'It is a folder: name a file with --store.',
  ENOTDIR: 'A part of its path is not a folder: correct --store.',
  ELOOP: 'Its symbolic links go round in a circle: correct them.',
  EMFILE: 'Too many files are open: raise the limit, or close some.',
  ENFILE: 'Too many files are open: raise the limit, or close some.',
};

/** The `code` of a system error (`ENOENT`, `EACCES` …); undefined for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Turns what the file system throws into `store_unavailable`; any other error is passed as it is. */
export function storeFailure(doing: 'read' | 'write', path: string, cause: unknown): unknown {
  const code = systemErrorCode(cause);
  if (code === undefined || cause instanceof PasskeyError) return cause;
  const what = WHAT_TO_DO[code] ?? 'Make sure that it can be read and written, or name a store elsewhere with --store.';
  return new PasskeyError('store_unavailable', `Could not ${doing} the store ${path} (${code}). ${what}`, { cause });
}
