import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { readNamedFile, UnusableFile } from '../../fixture/named-file.js';
import { locateJsonError } from '../../kernel/json-location.js';
import { isObject } from '../../kernel/json-value.js';
import { MAX_DOCUMENT_BYTES } from '../../kernel/limits.js';
import type { Io } from '../io.js';

export const CONFIG_FILE = 'passkey.config.json';

export interface ConfigFile {
  /** Name of the configuration file that messages show. */
  readonly name: string;
  /** Whether the user chose the file with `--config` or `PASSKEY_CONFIG`. False for the `passkey.config.json` in the working directory. */
  readonly isNamed: boolean;
  /** Directory to which relative paths in the file refer. */
  readonly base: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Reads the configuration file that `--config` or `PASSKEY_CONFIG` names, otherwise `passkey.config.json` in the working directory.
 * Undefined if no file is named and the working directory has none.
 *
 * @throws PasskeyError `configuration_invalid` if the file cannot be read or is not a JSON object.
 */
export async function readConfigFile(io: Io, named: string | undefined): Promise<ConfigFile | undefined> {
  const name = named ?? (io.env.PASSKEY_CONFIG || undefined) ?? CONFIG_FILE;
  const file = resolve(io.cwd, name);
  const mayBeAbsent = name === CONFIG_FILE && named === undefined;
  if (mayBeAbsent && isAbsent(file)) return undefined;
  const content = await readNamedFile(file, MAX_DOCUMENT_BYTES).catch((cause: unknown) => {
    if (!(cause instanceof UnusableFile)) throw cause;
    if (cause.code === 'ENOENT' && mayBeAbsent) return undefined;
    throw new PasskeyError('configuration_invalid', `The configuration file ${name} ${cause.message}.`, { cause });
  });
  if (content === undefined) return undefined;
  return { name, isNamed: !mayBeAbsent, base: dirname(file), values: parse(content.toString('utf8'), name) };
}

/** Checks whether the file does not exist. Most folders have no such file, and this check is faster than trying to open it. */
function isAbsent(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    // Opening it tells what is wrong.
    return false;
  }
}

function parse(content: string, name: string): Record<string, unknown> {
  const json = content.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const found = locateJsonError(json);
    if (found === undefined) throw cause;
    const { line, column, expected, received } = found;
    throw new PasskeyError(
      'configuration_invalid',
      `${name} is not valid JSON at ${line}:${column}: expected ${expected}, received ${received}.`,
      { cause },
    );
  }
  if (!isObject(value)) {
    throw new PasskeyError('configuration_invalid', `${name} expects a JSON object, such as { "port": 7277 }.`);
  }
  return { ...value };
}
