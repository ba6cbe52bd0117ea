import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asObject, type JsonObject, parseJson } from '../../kernel/json-value.js';

/**
 * Finds the installed version of a library. Looks in `node_modules`, then in the lock file of the nearest folder that has one, from
 * `folder` upwards. Returns undefined if the library is not installed, or if the lock file lists several versions of it.
 */
export async function findInstalledVersion(name: string, folder: string): Promise<string | undefined> {
  if (!PACKAGE_NAME.test(name)) return undefined;
  const locked = await readLocked(name, folder);
  if (locked.size > 1) return undefined;
  const version = (await readInstalled(name, folder)) ?? [...locked][0];
  const above = dirname(folder);
  return version ?? (above === folder ? undefined : findInstalledVersion(name, above));
}

async function readInstalled(name: string, folder: string): Promise<string | undefined> {
  const { version } = parseObject(await readText(join(folder, 'node_modules', name, 'package.json')));
  return typeof version === 'string' ? version : undefined;
}

/** Reads a lock file's contents and lists the versions of one package. */
type Reader = (text: string, name: string) => readonly string[];

/**
 * Matches names of npm packages. A name that matches cannot be a path, and contains no special characters of regular expressions except
 * dots.
 */
const PACKAGE_NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/;

const LOCK_FILES: Readonly<Record<string, Reader>> = {
  'package-lock.json': readNpmLock,
  'npm-shrinkwrap.json': readNpmLock,
  // '@scope/name@1.2.3': in version 9, /@scope/name@1.2.3: in 6, /@scope/name/1.2.3: in 5, each with peers in ( ) or after _.
  'pnpm-lock.yaml': (text, name) => findAll(text, name, (escaped) => `^ +['"]?/?${escaped}[@/](\\d[^'":(_\\s]*)['"(_:]`),
  // A block for each range that is asked for, its version below: version "1.2.3" in version 1, version: 1.2.3 from 2 on.
  'yarn.lock': (text, name) => findAll(text, name, (escaped) => `^(?:.*, )?"?${escaped}@.*:\\r?\\n +version:? "?(\\d[^"\\s]*)`),
  'bun.lock': (text, name) => findAll(text, name, (escaped) => `\\["${escaped}@(\\d[^"]*)"`),
};

async function readLocked(name: string, folder: string): Promise<ReadonlySet<string>> {
  const read = Object.entries(LOCK_FILES).map(async ([file, reader]) => {
    const text = await readText(join(folder, file));
    return text === undefined ? [] : reader(text, name);
  });
  return new Set((await Promise.all(read)).flat());
}

/** Lists the versions in an npm lock file. Lock file versions 2 and 3 list packages by folder; version 1 nests them by name. */
function readNpmLock(text: string, name: string): string[] {
  const { packages, dependencies } = parseObject(text);
  const listed = Object.entries(asObject(packages)).filter(([folder]) => `/${folder}`.endsWith(`/node_modules/${name}`));
  const entries = listed.length > 0 ? listed.map(([, entry]) => entry) : listNested(dependencies, name);
  return entries.map((entry) => asObject(entry).version).filter((version) => typeof version === 'string');
}

function listNested(dependencies: unknown, name: string): unknown[] {
  return Object.entries(asObject(dependencies)).flatMap(([key, entry]) => [
    ...(key === name ? [entry] : []),
    ...listNested(asObject(entry).dependencies, name),
  ]);
}

function findAll(text: string, name: string, pattern: (escaped: string) => string): string[] {
  const expression = new RegExp(pattern(name.replaceAll('.', '\\.')), 'gm');
  return [...text.matchAll(expression)].map(([, version = '']) => version);
}

const readText = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

const parseObject = (text = ''): JsonObject => asObject(parseJson(text));
