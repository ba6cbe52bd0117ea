import { access, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { MAX_NAMED_FILE_BYTES, readNamedFile, UnusableFile } from '../../fixture/named-file.js';
import { locateJsonError } from '../../kernel/json-location.js';
import { orNull, strict } from '../../kernel/schema-kit.js';
import { BUILT_IN_PROFILES } from '../../simulate/target/built-in.js';
import { writeFirstProfile } from '../../simulate/target/first-profile.js';
import { readProfile, writeProfile } from '../../simulate/target/read-profile.js';
import { profileFromHar } from '../../simulate/target/recording/profile-from-har.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { oneOf, path } from '../config/values.js';
import { type Io, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { ownCommand, quoteWord } from '../own-command.js';

export const profileWritten = Type.Object(
  {
    file: Type.String({ description: 'Path of the profile that was written.' }),
    url: orNull(Type.String({ description: 'The value for --url, if a recording shows it.' })),
    notes: Type.Array(Type.String(), { description: 'Notes to read or to check.' }),
  },
  { ...strict, title: 'passkey simulate --init-profile --json' },
);

const DEFAULT_FILE = 'passkey-target.yaml';

/**
 * Runs `passkey simulate --init-profile [FILE]`. It writes a target profile from a built-in profile or a recording, or else a template to
 * edit.
 */
export async function initProfile(io: Io, flags: Flags): Promise<void> {
  const file = typeof flags.initProfile === 'string' ? flags.initProfile : DEFAULT_FILE;
  if (file !== '-' && flags.force !== true && (await isThere(io, file))) throw exists(file);
  const made = await makeProfile(io, flags, file === '-' ? { name: 'target', file: DEFAULT_FILE } : { name: nameAfter(file), file });
  if (file === '-') io.stdout.write(made.text);
  else await write(io, file, made.text, flags.force === true);

  if (flags.json === true && file !== '-') {
    const result: Static<typeof profileWritten> = { file, url: made.url ?? null, notes: [...made.notes] };
    return printJson(io, result);
  }
  for (const note of made.notes) say(io, printable(note));
  if (file === '-') return;
  const next = `${ownCommand(io)} simulate --target ${quoteWord(file)} --url ${made.url ?? 'URL'} --probe --write`;
  say(io, `Wrote ${printable(file)}. Try it: ${printable(next)}`);
}

interface Made {
  readonly text: string;
  readonly url?: string;
  readonly notes: readonly string[];
}

/** Makes the target profile of a recording, as JSON. @throws PasskeyError `usage`, `validation_failed` */
export async function readRecording(io: Io, flags: Flags): Promise<Made> {
  const har = readFlag(io, path('file'), '--har', flags.har);
  const { profile, url, notes } = profileFromHar(await readHar(har, String(flags.har)), nameAfter(String(flags.har)));
  return { text: await writeProfile(profile, 'recording.json'), url, notes };
}

async function makeProfile(io: Io, flags: Flags, { name, file }: { readonly name: string; readonly file: string }): Promise<Made> {
  const from = flags.from === undefined ? undefined : readFlag(io, oneOf(BUILT_IN_PROFILES), '--from', flags.from);
  const har = flags.har === undefined ? undefined : readFlag(io, path('file'), '--har', flags.har);
  if (from !== undefined && har !== undefined) {
    throw new PasskeyError('usage', 'Expected --from or --har; got both. Leave one out.');
  }
  if (har !== undefined) {
    const { profile, url, notes } = profileFromHar(await readHar(har, String(flags.har)), name);
    return { text: await writeProfile(profile, file), url, notes };
  }
  if (from !== undefined) {
    const { profile } = await readProfile(from, io.cwd);
    return { text: await writeProfile({ ...profile, name }, file), notes: [] };
  }
  return { text: await writeFirstProfile(name, file), notes: ['First change its requests to those of your page.'] };
}

async function readHar(file: string, name: string): Promise<unknown> {
  const bytes = await readNamedFile(file, MAX_NAMED_FILE_BYTES).catch((cause: unknown) => {
    if (!(cause instanceof UnusableFile)) throw cause;
    throw new PasskeyError('usage', `--har expects an HTTP archive (HAR 1.2); ${name} ${cause.message}.`, { cause });
  });
  const json = bytes.toString('utf8').replace(/^\uFEFF/, '');
  try {
    return JSON.parse(json);
  } catch (cause) {
    const wrong = locateJsonError(json);
    const place =
      wrong === undefined ? '' : `, line ${wrong.line}, column ${wrong.column}: expected ${wrong.expected}, got ${wrong.received}`;
    throw new PasskeyError('validation_failed', `--har expects an HTTP archive (HAR 1.2) in JSON; ${name} is not JSON${place}.`, { cause });
  }
}

async function isThere(io: Io, file: string): Promise<boolean> {
  return access(resolve(io.cwd, file)).then(
    () => true,
    () => false,
  );
}

const exists = (file: string, cause?: unknown): PasskeyError =>
  new PasskeyError('usage', `--init-profile: ${file} exists. Name another file, or replace it with --force.`, { cause });

async function write(io: Io, file: string, content: string, replace: boolean): Promise<void> {
  await writeFile(resolve(io.cwd, file), content, { flag: replace ? 'w' : 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') throw exists(file, cause);
    const what = `${file} cannot be written (${cause.code ?? cause.message}). Name a file in a folder that exists.`;
    throw new PasskeyError('usage', `--init-profile: ${what}`, { cause });
  });
}

function nameAfter(file: string): string {
  return basename(file).replace(/\.(?:json|ya?ml|har)$/i, '') || 'target';
}
