import { type BigIntStats, closeSync, existsSync, fstatSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PasskeyError } from '../errors.js';
import { count } from '../kernel/wording.js';
import { decodeFile } from './file-codec.js';
import { FileDamage } from './file-damage.js';
import { type Contents, measureGrowth, putRows } from './file-rows.js';
import type { FileSizeLimit } from './file-size.js';
import { openRegularFile, resolveTarget } from './file-system.js';
import { Journal, journalPath, type NumberedEntry } from './journal-file.js';
import type { FileMark, JournalEntry } from './journal-text.js';
import { TABLES } from './records.js';
import { createDraft, dropAccess, dropOwner, dropPasskeys, ownerKey } from './state.js';

/** A store as last read: the contents of its file and its journal. */
export interface OpenedStore {
  /** The path that was opened. */
  readonly path: string;
  /** The file there, symbolic links resolved. */
  target: string;
  readonly contents: Contents;
  /** How the file looked. */
  mark: FileMark;
  journal: Journal | undefined;
  /** An empty journal of an earlier file that has been replaced. */
  superseded: FileMark | undefined;
  /** Number of the last change that is in the file. */
  inFile: number;
  /** How long the file would be if it were written now. */
  bytes: number;
  /** Work due before the next change. `journal`: create a journal. `branch`: write a new one without the last line, which may not have been flushed. */
  toDo: 'journal' | 'branch' | undefined;
}

export function fileMark({ ino, size, mtimeNs }: BigIntStats): FileMark {
  return { ino: String(ino), size: Number(size), mtime_ns: String(mtimeNs) };
}

function isMarked({ ino, size, mtimeNs }: BigIntStats, mark: FileMark | undefined): boolean {
  return mark !== undefined && String(ino) === mark.ino && Number(size) === mark.size && String(mtimeNs) === mark.mtime_ns;
}

const MAX_TRIES = 10;

/** @throws FileDamage · NewerVersion · PasskeyError · the error of the system. */
export async function readStore(path: string, limit: FileSizeLimit): Promise<OpenedStore> {
  for (let tries = 1; ; tries += 1) {
    const target = await resolveTarget(path);
    // Synchronously: every turn of the thread pool takes a short command longer than its reading does.
    const fd = openRegularFile(target, 'read');
    try {
      const stats = fstatSync(fd, { bigint: true });
      limit.requireReadable(Number(stats.size));
      const contents = decodeFile(readFileSync(fd));
      const opened = withJournal({ path, target }, contents, stats);
      if (!(opened instanceof PasskeyError)) {
        requireNothingLeft(opened);
        return opened;
      }
      // Another process may have replaced both files between the two looks.
      const now = statSync(target, { bigint: true, throwIfNoEntry: false });
      if (tries === MAX_TRIES || (now && isMarked(now, fileMark(stats)))) throw opened;
    } finally {
      closeSync(fd);
    }
  }
}

/** A PasskeyError when the two do not belong together. */
function withJournal(place: Pick<OpenedStore, 'path' | 'target'>, contents: Contents, stats: BigIntStats): OpenedStore | PasskeyError {
  const { store, sequence } = contents;
  const { target } = place;
  const path = journalPath(target);
  const opened = { ...place, contents, mark: fileMark(stats), inFile: sequence, bytes: Number(stats.size), superseded: undefined };
  const journal = Journal.open(path);
  if (journal === undefined) return { ...opened, journal, toDo: 'journal' };
  try {
    const entries = journal.readOn();
    const { header } = journal;
    const last = entries.at(-1)?.entry.n ?? header.after;
    if (header.store === store && header.after <= sequence && sequence <= last) {
      const known: OpenedStore = { ...opened, journal, toDo: undefined };
      applyAll(known, entries);
      return known;
    }
    journal.close();
    // One that holds nothing more than the file is no loss.
    const lost = header.store === store ? entries.filter(({ entry }) => entry.n > sequence) : entries;
    const why =
      header.store === store
        ? `the journal begins after change ${header.after}, and the file ends with change ${sequence}`
        : 'the journal belongs to another store';
    if (lost.length > 0) return mismatch(target, { journal, lost: lost.length, why });
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    return { ...opened, journal: undefined, superseded: now && fileMark(now), toDo: 'journal' };
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** The journal of a file that was moved and linked may still be where the file was. @throws PasskeyError `store_damaged` */
function requireNothingLeft({ path, target, contents: { store, sequence }, journal: used }: OpenedStore): void {
  if (!lstatSync(path).isSymbolicLink()) return;
  const journal = Journal.open(journalPath(resolve(path)));
  if (journal === undefined) return;
  const lost = journal.header.store === store ? journal.readOn().filter(({ entry }) => entry.n > sequence).length : 0;
  journal.close();
  if (lost === 0) return;
  used?.close();
  throw mismatch(target, { journal, lost, why: 'the file was moved without it. Move it beside the file' });
}

function mismatch(
  target: string,
  { journal: { path }, lost, why }: { readonly journal: Journal; readonly lost: number; readonly why: string },
): PasskeyError {
  return new PasskeyError(
    'store_damaged',
    `The store ${target} does not fit its journal ${path}, which holds ${count(lost, 'more change')}: ${why}. Nothing was changed. If the file is a copy that you want to use as it is, move the journal away; otherwise put the file back that belongs to it.`,
  );
}

/**
 * Applies the changes of other processes. Synchronous: it takes microseconds, and nothing can happen between this and the use of the store.
 *
 * @returns false if the store has to be read anew; then do not use the old state.
 * @throws FileDamage · the error of the system; as above.
 */
export function catchUp(opened: OpenedStore): boolean {
  // A snapshot replaces the file between two looks; the journal says so beforehand.
  for (let looks = 0; looks < 2; looks += 1) {
    if (!followJournal(opened)) return false;
    // Where no link leads to the file, it is mostly as it was: that saves resolving its path.
    const here = lstatSync(opened.path, { bigint: true, throwIfNoEntry: false });
    if (here !== undefined && isMarked(here, opened.mark)) return true;
    if (!followFile(opened)) return false;
    const stats = statSync(opened.target, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return false;
    if (isMarked(stats, opened.mark)) return true;
    const { noted, header } = opened.journal ?? {};
    if (!isMarked(stats, noted) && !isMarked(stats, header?.snapshot)) continue;
    opened.mark = fileMark(stats);
    return true;
  }
  return false;
}

/** Follows a file that was moved while it was open, with a link left in its place. What its journal holds moves with the next change. */
function followFile(opened: OpenedStore): boolean {
  const target = realpathSync.native(opened.path);
  if (target === opened.target) return true;
  const stats = statSync(target, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !isMarked(stats, opened.mark) || existsSync(journalPath(target))) return false;
  opened.target = target;
  if (opened.journal !== undefined) opened.toDo ??= 'branch';
  return true;
}

function followJournal(opened: OpenedStore): boolean {
  const { journal, contents } = opened;
  const path = journalPath(opened.target);
  if (journal === undefined) {
    // It is looked for, not at: where its name is too long, there is none.
    const stats = existsSync(path) ? statSync(path, { bigint: true, throwIfNoEntry: false }) : undefined;
    return stats === undefined ? opened.superseded === undefined : isMarked(stats, opened.superseded);
  }
  // Of a file that was moved: another process has begun the journal beside it.
  if (journal.path !== path && existsSync(path)) return false;
  if (!journal.isAsRead()) return false;
  const look = journal.look();
  if (look !== 'other') {
    if (look === 'longer') applyAll(opened, journal.readOn());
    return true;
  }
  applyAll(opened, journal.readLast());
  const next = Journal.open(path);
  if (next === undefined) return false;
  const { store, branch, after } = next.header;
  const entries = next.readOn();
  const last = entries.at(-1)?.entry.n ?? after;
  if (store !== journal.header.store || branch !== journal.header.branch || after > contents.sequence || last < contents.sequence) {
    next.close();
    return false;
  }
  opened.journal = next;
  journal.close();
  opened.inFile = after;
  applyAll(opened, entries);
  return true;
}

function applyAll(opened: OpenedStore, entries: readonly NumberedEntry[]): void {
  const { contents, journal } = opened;
  const draft = createDraft(contents.state);
  let { sequence } = contents;
  for (const { line, entry } of entries) {
    if (entry.n <= sequence) continue;
    try {
      if (entry.n !== sequence + 1) throw new FileDamage('', `expected change ${sequence + 1}, got ${entry.n}`);
      applyEntry({ state: draft.state, extra: contents.extra }, entry);
      sequence = entry.n;
    } catch (error) {
      throw error instanceof FileDamage ? error.at(String(line), journal?.path) : error;
    }
  }
  opened.bytes += measureGrowth(contents, draft);
  draft.commit();
  contents.sequence = sequence;
}

/**
 * Applies an entry to a state.
 *
 * @throws FileDamage without a place, for an entry that does not fit: the state may then contain a part of it, and must not be used.
 */
export function applyEntry({ state, extra }: Pick<Contents, 'state' | 'extra'>, entry: JournalEntry): void {
  for (const row of entry.gone_owners ?? []) {
    const owner = state.owners.get(ownerKey(row));
    if (owner) dropOwner(state, owner);
  }
  dropPasskeys(
    state,
    (entry.gone_passkeys ?? []).flatMap((id) => state.passkeys.get(id) ?? []),
  );
  for (const id of entry.gone_accesses ?? []) {
    const access = state.accesses.get(id);
    if (access) dropAccess(state, access);
  }
  for (const table of TABLES) putRows({ state, extra }, table, entry[table] ?? []);
  state.nextPasskeyId = Math.max(state.nextPasskeyId, entry.next_passkey_id);
  state.nextAccessId = Math.max(state.nextAccessId, entry.next_access_id);
}
