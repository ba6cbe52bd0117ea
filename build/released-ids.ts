import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_CASES } from '../src/simulate/cases/all-cases.js';
import { makeVocabulary } from './reference/vocabulary.js';

/**
 * The ids of cases, and of the errors, steps and causes of the vocabulary, that versions have had. Baselines, suppressions and dashboards of users
 * name them, so that none may ever mean something else. `npm run ids` appends those of a version before its release, and retires those that are
 * gone. The last line of the file is the SHA-256 of the lines above, so that no line is lost or edited unnoticed.
 */
export const RELEASED_IDS = join(import.meta.dirname, 'released-ids.txt');

const RETIRED = 'retired ';

/** The ids of this version, each after its kind: `case login.default`, `cause origin`. */
export function listIds(): string[] {
  const cases = ALL_CASES.map(({ id }) => `case ${id}`);
  const { errors, steps, causes } = makeVocabulary();
  const name = (kind: string, entries: readonly { readonly id: string }[]) => entries.map(({ id }) => `${kind} ${id}`);
  return [...new Set([...cases, ...name('error', errors), ...name('step', steps), ...name('cause', causes)])];
}

/** Says what is wrong with the ids of a version, held against the file; empty where nothing is. Ids that are new are not wrong. */
export function checkIds(file: string, now: readonly string[]): string[] {
  const { lines, sealed, retired } = readIds(file);
  if (!sealed) return ['The file was edited or lacks lines. Take it from git, and let `npm run ids` append to it.'];
  const current = new Set(now);
  return [
    ...now.filter((id) => retired.has(id)).map((id) => `${id}: a version had another one of this name. Choose another id.`),
    ...lines
      .filter((line) => !line.startsWith(RETIRED) && !retired.has(line) && !current.has(line))
      .map((id) => `${id}: is gone. Bring it back, or run \`npm run ids\`, which retires it for ever.`),
  ];
}

/** The file with the ids of a version appended, and those that are gone retired. */
export function appendIds(file: string, now: readonly string[]): string {
  const { lines, sealed, retired } = readIds(file);
  const reused = now.filter((id) => retired.has(id));
  if (!sealed || reused.length > 0) throw new Error(checkIds(file, now).join('\n'));
  const [released, current] = [new Set(lines), new Set(now)];
  const gone = lines.filter((line) => !line.startsWith(RETIRED) && !retired.has(line) && !current.has(line));
  return seal([...lines, ...now.filter((id) => !released.has(id)), ...gone.map((id) => RETIRED + id)]);
}

function readIds(file: string) {
  const lines = file.split('\n').slice(0, -2);
  const retired = new Set(lines.filter((line) => line.startsWith(RETIRED)).map((line) => line.slice(RETIRED.length)));
  return { lines, sealed: file === seal(lines), retired };
}

function seal(lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  return `${text}sha256 ${createHash('sha256').update(text).digest('hex')}\n`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(RELEASED_IDS, appendIds(readFileSync(RELEASED_IDS, 'utf8'), listIds()));
}
