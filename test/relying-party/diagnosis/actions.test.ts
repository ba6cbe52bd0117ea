import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../../src');

const SOURCES = [
  ...['relying-party/diagnosis', 'relying-party/steps'].flatMap((folder) =>
    readdirSync(join(src, folder)).map((name) => `${folder}/${name}`),
  ),
  'explain/report/encoding.ts',
  'explain/report/known-ceremony.ts',
  'explain/report/report.ts',
  'webauthn/text-encoding.ts',
];

/** Every hint of a step: the texts in these files that end as sentences. */
const hints = SOURCES.flatMap((file) => readFileSync(join(src, file), 'utf8').split('\n').flatMap(readSentences));

/** Strings stand on one line each. */
function readSentences(line: string): string[] {
  const isComment = /^\s*(?:\*|\/[/*])/.test(line);
  return isComment ? [] : [...line.matchAll(/'([^'`]* [^'`]*\.)'|`([^`]* [^`]*\.)`/g)].map(([, text, template]) => text ?? template ?? '');
}

const VERBS =
  'add|allow|answer|ask|call|change|check|compare|cut|decode|do|download|encode|expect|fill|give|have|investigate|keep|leave|let|name|open|pad|pass|put|register|remove|replace|report|request|restore|say|send|serve|set|store|take|try|turn|update|use|verify|write';

/** A sentence that tells somebody to do something, or a part of it that does. */
const ACTION = new RegExp(`(?:^|[;:,] |\\b(?:and|or|then|so|please) )(?:please )?(?:${VERBS})\\b`, 'i');

const endsInAction = (hint: string) => ACTION.test(hint.split(/(?<=[.?]) (?=[A-Z$])/).at(-1) ?? '');

test('what only explains is no action', () => {
  expect(endsInAction('Only the port differs (1 against 7277); the port is part of the origin.')).toBe(false);
  expect(endsInAction('Open the page under another origin. The port is part of it.')).toBe(false);
});

test('every hint of every step ends in an action', () => {
  expect(hints.length).toBeGreaterThan(80);
  expect(hints.filter((hint) => !endsInAction(hint))).toEqual([]);
});
