import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { keepOwnerOf, openAppendedFile } from '../appended-file.js';
import { type FileNames, storeFailure } from '../file-system.js';

// The files of an audit log beside those of its store, by the path of the store, its symbolic links resolved.

export const AUDIT_NAMES: FileNames = { noun: 'log file', flag: undefined };

/** The file in use: `passkeys.json.audit.jsonl`. */
export function auditPath(target: string): string {
  return `${target}.audit.jsonl`;
}

/** The file that was put aside as number `n`, counted from 1: `passkeys.json.audit.1.jsonl`. */
export function asidePath(target: string, n: number): string {
  return `${target}.audit.${n}.jsonl`;
}

/** The numbers of the files that were put aside, ascending. @throws the error of the system. */
export async function asideNumbers(target: string): Promise<number[]> {
  const prefix = `${basename(target)}.audit.`;
  const numbers = (await readdir(dirname(target))).flatMap((name) => {
    const digits = name.startsWith(prefix) ? /^([1-9]\d{0,14})\.jsonl$/.exec(name.slice(prefix.length))?.[1] : undefined;
    return digits === undefined ? [] : [Number(digits)];
  });
  return numbers.sort((a, b) => a - b);
}

/** Under which one process at a time puts the file in use aside. */
export function auditLockPath(target: string): string {
  return `${auditPath(target)}.lock`;
}

/** What it is called in messages. */
export const AUDIT_LOG = 'the audit log';

/** The descriptor of a file of the log. @throws the error of the system · PasskeyError `store_unavailable` when it is no file. */
export function openAuditFile(path: string, use: 'read' | 'append'): number {
  return openAppendedFile(path, use, 'audit log');
}

/** That of the file in use, which is made if there is none: for the owner of the store alone, also by a command that root runs. */
export function openForAppending(target: string): number {
  const fd = openAuditFile(auditPath(target), 'append');
  keepOwnerOf(fd, target);
  return fd;
}

/** An error of the system as `store_unavailable`; any other as it is. */
export function auditFailure(doing: 'read' | 'write', target: string, error: unknown): unknown {
  return storeFailure(doing, auditPath(target), error, AUDIT_NAMES);
}
