import { INTERCHANGE_SHAPES, type SuppliedMembers } from '../../authenticator/interchange/contract.js';
import { exportCredentials, importCredentials } from '../../authenticator/interchange/interchange.js';
import type { InterchangeRemark } from '../../authenticator/interchange/shape.js';
import { PasskeyError } from '../../errors.js';
import { count } from '../../kernel/wording.js';
import { replaceFile } from '../../store/replace-file.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { listNames } from '../../webauthn/enumerations.js';
import { type Flags, readFlag, resolveCredentialSettings } from '../config/resolve.js';
import { oneOf, parsed, path as pathKind, text } from '../config/values.js';
import { chooseByIds } from '../credential-rows.js';
import { changeCredentials, readCredentials } from '../credentials-file.js';
import { type Io, print, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { readText } from '../read-text.js';
import type { CredentialConversion } from '../schemas/credentials.js';

const shape = oneOf(listNames(INTERCHANGE_SHAPES));
const word = text({ placeholder: 'text' });
const bytes = parsed({
  placeholder: 'bytes',
  expects: 'base64url without padding',
  parse: (raw) => {
    try {
      return decodeBase64url(String(raw));
    } catch {
      return undefined;
    }
  },
});

/** `passkey credential convert [FILE]` */
export async function convert(io: Io, flags: Flags, file: string | undefined): Promise<void> {
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
    throw new PasskeyError('usage', '--add takes the credentials of a FILE, and no --out: it keeps them in the file of --credentials.');
  }
  const read =
    file === undefined
      ? { credentials: await readCredentials(path), remarks: [] }
      : await readFrom(io, { file, from, supplied: supplied(io, flags) });
  const ids = Array.isArray(flags.id) ? flags.id.map(String) : undefined;
  const chosen = ids === undefined ? read.credentials : chooseByIds(read.credentials, ids);
  if (to === undefined) {
    await changeCredentials(path, { create: true }, async (store) => {
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
  for (const { message } of remarks) say(io, printable(message));
  if (flags.json === true) {
    const document: CredentialConversion = {
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

/** @throws PasskeyError `usage` when the file cannot be read or is something else. */
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
