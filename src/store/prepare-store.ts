import { randomBytes } from 'node:crypto';
import type { FileLock } from './file-lock.js';
import { Journal, journalPath } from './journal-file.js';
import { JOURNAL_VERSION, type JournalHeader, journalLine } from './journal-text.js';
import { fileMark, type OpenedStore } from './opened-store.js';
import { putInPlace, replaceFile, type Temporary } from './replace-file.js';

// What is done to the file and the journal besides adding lines. Only under the lock, by a process that has read all there is.

/**
 * Does what has to be done before a change can be added.
 *
 * @returns the journal that takes it.
 * @throws the error of the system.
 */
export async function prepareForChanges(opened: OpenedStore, lock: FileLock): Promise<Journal> {
  const { journal, toDo } = opened;
  if (journal !== undefined && toDo === undefined) return journal;
  const { store } = opened.contents;
  const kept = toDo === 'branch' ? journal : undefined;
  const header = { journal: JOURNAL_VERSION, store, branch: newId(), after: opened.inFile };
  const made = await replaceJournal(opened, { header, rest: kept?.bytes(kept.start, kept.offset) }, lock);
  opened.toDo = undefined;
  return made;
}

interface SnapshotToPut {
  readonly temporary: Temporary;
  /** Number of the last change that is in it. */
  readonly sequence: number;
  /** Where the lines of the journal begin that are not. */
  readonly from: number;
  readonly journal: Journal;
}

/**
 * Puts a new file in the place of the store's, and begins a new journal with the changes that are not in it. First a line in the old
 * journal says how the new file looks, so that other processes need not read it. A crash in between does no harm: changes of the
 * journal that the file has already are passed over.
 */
export async function putSnapshot(
  opened: OpenedStore,
  { temporary, sequence, from, journal }: SnapshotToPut,
  lock: FileLock,
): Promise<void> {
  const { target, contents } = opened;
  const snapshot = fileMark(temporary.stats);
  const rest = journal.bytes(from, journal.offset);
  const note = journalLine({ snapshot });
  await journal.append(note, { flushed: false });
  journal.passLine(note);
  lock.assertHeld();
  await putInPlace(temporary, target);
  opened.mark = snapshot;
  opened.inFile = sequence;
  if (contents.sequence === sequence) opened.bytes = snapshot.size;
  const header = { ...journal.header, after: sequence, snapshot };
  await replaceJournal(opened, { header, rest }, lock);
}

async function replaceJournal(
  opened: OpenedStore,
  { header, rest = Buffer.alloc(0) }: { readonly header: JournalHeader; readonly rest?: Buffer | undefined },
  lock: FileLock,
): Promise<Journal> {
  const path = journalPath(opened.target);
  // Lines are ASCII or UTF-8, and end where they are cut here.
  await replaceFile(path, journalLine(header) + rest.toString('utf8'), { beforeRename: () => lock.assertHeld(), ownerOf: opened.target });
  const made = Journal.open(path);
  if (made === undefined) throw Object.assign(new Error(`${path} is gone`), { code: 'ENOENT' });
  made.readOn();
  opened.journal?.close();
  opened.journal = made;
  opened.superseded = undefined;
  return made;
}

function newId(): string {
  return randomBytes(16).toString('hex');
}
