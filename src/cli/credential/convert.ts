import type { Command } from 'commander';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { INTERCHANGE_SHAPES, type SuppliedMembers } from '../../authenticator/interchange/contract.js';
import { exportCredentials, importCredentials } from '../../authenticator/interchange/interchange.js';
import type { InterchangeRemark } from '../../authenticator/interchange/shape.js';
import { PasskeyError } from '../../errors.js';
import { orNull, strict } from '../../kernel/schema-kit.js';
import { count } from '../../kernel/wording.js';
import { replaceFile } from '../../store/replace-file.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { listNames } from '../../webauthn/enumerations.js';
import { addCredentialSettings } from '../command.js';
import { type Flags, readFlag, resolveCredentialSettings } from '../config/resolve.js';
import { oneOf, parsed, path as pathKind, text } from '../config/values.js';
import { base64url, CREDENTIALS_REMARK, chooseByIds } from '../credential-rows.js';
import { changeCredentials, readCredentials } from '../credentials-file.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson, say, warn } from '../io.js';
import { printable } from '../output/printable.js';
import { sayCreated } from '../parties.js';
import { readText } from '../read-text.js';

/** Descriptions of the data shapes for the help. They are shorter than those in the table of shapes. */
export const SHAPES =
  'json (the file of --credentials), playwright (context.credentials), playwright-state (its storage state), devtools (WebAuthn.addCredential of the Chrome DevTools protocol, and the answer of WebDriver), jwk, pkcs8 (PEM), keepassxc (its .passkey file), bitwarden (its unencrypted JSON), cxf (Credential Exchange Format of the FIDO Alliance)';

export function define(command: Command): void {
  addFlags(
    command,
    {
      from: 'format of the input (default: json)',
      to: { about: 'format of the output', conflicts: 'add' },
      add: 'add the credentials to the credentials file instead of writing them',
      out: 'write to this file (mode 0600) instead of standard output',
      id: {
        about: 'only this credential, by its ID or the beginning of it; may be given several times',
        isRepeatable: true,
        completes: { words: 'credentials' },
      },
      credentialId: 'credential ID in base64url or base64, if the format lacks it',
      rpId: 'RP ID, if the format lacks it',
      userHandle: 'user handle in base64url or base64, if the format lacks it',
      userName: 'user name, if the format lacks it',
      json: true,
    },
    'Credential:',
  );
  addHelp(addCredentialSettings(command), {
    examples: [
      'passkey credential convert --to devtools',
      'passkey credential convert --to keepassxc --id 3q2-7w --out login.passkey',
      'passkey credential convert chromium.json --from devtools --add',
    ],
    remarks: [
      `Reads FILE, - for standard input, or the credentials file. Formats: ${SHAPES}.`,
      'Data that a format cannot hold is listed on standard error, one line for each member.',
      CREDENTIALS_REMARK,
    ],
    common: ['--from', '--to', '--add', '--out', '--json'],
    page: 'library.md',
  });
}

export const credentialConversion = Type.Object(
  {
    from: Type.String(),
    to: Type.String({ description: 'The format written, or "credentials file" with --add.' }),
    count: Type.Integer({ minimum: 0, description: 'Credentials written.' }),
    remarks: Type.Array(Type.Object({ credential_id: orNull(base64url), member: Type.String(), message: Type.String() }, strict), {
      description: 'What was assumed, left out or lost.',
    }),
    text: orNull(Type.String({ description: 'The converted credentials, with private keys; null if they were written to a file.' })),
    out: orNull(Type.String({ description: 'Path of the file: --out, or with --add that of --credentials.' })),
  },
  { ...strict, title: 'passkey credential convert --json' },
);

const shape = oneOf(listNames(INTERCHANGE_SHAPES));
const word = text({ placeholder: 'text' });
const bytes = parsed({
  placeholder: 'bytes',
  expects: 'base64url or base64',
  parse: (raw) => decodeBase64(String(raw))?.bytes,
});

/** Runs `passkey credential convert [FILE]`. */
export async function run(io: Io, flags: Flags, [file]: readonly string[]): Promise<void> {
  const { credentials: path } = await resolveCredentialSettings(io, flags);
  const from = flags.from === undefined ? 'json' : readFlag(io, shape, '--from', flags.from);
  const to = flags.to === undefined ? undefined : readFlag(io, shape, '--to', flags.to);
  const out = flags.out === undefined ? undefined : readFlag(io, pathKind('file'), '--out', flags.out);
  if (to === undefined && flags.add !== true) {
    throw new PasskeyError(
      'usage',
      `Give --to, one of ${listNames(INTERCHANGE_SHAPES).join(', ')}, or --add to keep them in ${printable(path)}.`,
    );
  }
  if (flags.add === true && (file === undefined || out !== undefined)) {
    throw new PasskeyError('usage', '--add needs a FILE and excludes --out: it adds the credentials of FILE to the file of --credentials.');
  }
  const read =
    file === undefined
      ? { credentials: await readCredentials(path), remarks: [] }
      : await readFrom(io, { file, from, supplied: supplied(io, flags) });
  const ids = Array.isArray(flags.id) ? flags.id.map(String) : undefined;
  const chosen = ids === undefined ? read.credentials : chooseByIds(read.credentials, ids);
  if (to === undefined) {
    await changeCredentials(path, { create: true, onCreated: (created) => sayCreated(io, created, 'credentials file') }, async (store) => {
      for (const source of chosen) await store.put(source);
    });
    return report(io, flags, { from, to: 'credentials file', count: chosen.length, remarks: read.remarks, text: undefined, out: path });
  }
  const written = await exportCredentials(to, chosen, { now: io.now() });
  if (out !== undefined) await write(out, `${written.text}\n`);
  report(io, flags, {
    from,
    to,
    count: written.count,
    remarks: [...read.remarks, ...written.remarks],
    text: out === undefined ? written.text : undefined,
    out,
  });
}

interface Converted {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly remarks: readonly InterchangeRemark[];
  readonly text: string | undefined;
  readonly out: string | undefined;
}

function report(io: Io, flags: Flags, { remarks, text: written, out, ...done }: Converted): void {
  for (const { message } of remarks) warn(io, printable(message));
  if (flags.json === true) {
    const document: Static<typeof credentialConversion> = {
      ...done,
      remarks: remarks.map(({ credentialId, member, message }) => ({ credential_id: credentialId ?? null, member, message })),
      text: written ?? null,
      out: out ?? null,
    };
    return printJson(io, document);
  }
  if (written !== undefined) print(io, written);
  else say(io, printable(`Wrote ${count(done.count, 'credential')} with private keys to ${out}.`));
}

function supplied(io: Io, flags: Flags): SuppliedMembers {
  return {
    ...(flags.credentialId !== undefined && { id: readFlag(io, bytes, '--credential-id', flags.credentialId) }),
    ...(flags.rpId !== undefined && { rpId: readFlag(io, word, '--rp-id', flags.rpId) }),
    ...(flags.userHandle !== undefined && { userHandle: readFlag(io, bytes, '--user-handle', flags.userHandle) }),
    ...(flags.userName !== undefined && { userName: readFlag(io, word, '--user-name', flags.userName) }),
  };
}

interface Source {
  readonly file: string;
  readonly from: keyof typeof INTERCHANGE_SHAPES;
  readonly supplied: SuppliedMembers;
}

/** Reads the input and recognises its shape. @throws PasskeyError `usage` if the file cannot be read or has no known shape. */
async function readFrom(io: Io, { file, from, supplied: members }: Source) {
  const content = await readText(io, file);
  try {
    return await importCredentials(from, content, members);
  } catch (cause) {
    if (!(cause instanceof PasskeyError)) throw cause;
    throw new PasskeyError('usage', printable(`${file}: ${cause.message}`), { cause });
  }
}

async function write(out: string, content: string): Promise<void> {
  try {
    await replaceFile(out, content);
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new PasskeyError('usage', printable(`--out ${out} cannot be written (${why}). Name a file in a folder that exists.`), { cause });
  }
}
