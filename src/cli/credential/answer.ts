import type { Command } from 'commander';
import { PERSONA_NAMES } from '../../authenticator/personas/personas.js';
import { PasskeyError } from '../../errors.js';
import { clause } from '../../kernel/wording.js';
import { listMutations } from '../../simulate/mutations/mutation.js';
import { type Answered, type Answering, answer, USER_VERIFICATIONS } from '../answer/answer.js';
import { describeAnswer, mutationRow } from '../answer/document.js';
import { keptInFile } from '../answer/keeper.js';
import { findOptions, parseDocument } from '../answer/options.js';
import { addCredentialSettings } from '../command.js';
import { type Flags, readFlag, resolveCredentialSettings } from '../config/resolve.js';
import { type Kind, oneOf, parsed, text } from '../config/values.js';
import { origin as originOf } from '../config/webauthn-values.js';
import { CREDENTIALS_REMARK, PERSONAS_REMARK } from '../credential-rows.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, printAll, printJson, printJsonArray, say } from '../io.js';
import { printable } from '../output/printable.js';
import { tableLines } from '../output/table.js';
import { sayCreated } from '../parties.js';
import { readText } from '../read-text.js';

export function define(command: Command): void {
  addFlags(
    command,
    {
      origin: 'origin of the calling page',
      persona: true,
      userVerification: {
        about: `when the user is verified: ${USER_VERIFICATIONS.join(', ')} (default: as-asked)`,
        completes: { words: USER_VERIFICATIONS },
      },
      tamper: 'break the response on purpose, by the ID of a change or the part after its first dot',
      listTampers: 'list the changes that --tamper makes',
      id: {
        about: 'log in with this credential, by its ID or the beginning of it (default: the newest one that fits)',
        completes: { words: 'credentials' },
      },
      topOrigin: 'origin of the top-level page, if the calling page is in a frame of another site',
      crossOrigin: 'the page is in a frame of another site',
      mediation: 'conditional, for a login by autofill or a registration without a prompt',
      json: 'print the response with its credential and any remarks',
    },
    'Ceremony:',
  );
  addHelp(addCredentialSettings(command), {
    examples: [
      'passkey credential answer options.json --origin https://example.org --persona icloud-keychain',
      'passkey credential answer - --origin https://example.org --tamper signature-bit --json',
      'passkey credential answer --list-tampers',
    ],
    remarks: [
      'Reads FILE or standard input: the options that your server sends to the browser, alone, under publicKey or nested deeper. Prints the response as JSON, for your server.',
      'A registration adds a credential to the credentials file; a login uses one of them and keeps its sign count. Give both the same --persona.',
      '--tamper signs again if a signature covers the change, so that nothing else is wrong. The credential of a broken registration is kept only if a correct server accepts it.',
      'Exits 1 when a browser would refuse the options, 2 when the input has no options or does not fit --persona or --tamper, 3 when the credentials file is damaged, or missing at a login.',
      CREDENTIALS_REMARK,
      PERSONAS_REMARK,
    ],
    common: ['--origin', '--persona', '--tamper', '--id', '--json'],
    page: 'any-language.md',
  });
}

/** The kind of values that are the origin of a web page or an Android app. The client later checks the form of an app's origin. */
const origin = parsed({
  placeholder: 'origin',
  expects: 'an origin without a path, such as https://example.org or android:apk-key-hash:…',
  parse: (raw) => originOf(raw) ?? (String(raw).startsWith('android:') ? String(raw) : undefined),
});

/**
 * Runs `passkey credential answer [FILE]`, which prints the response to options. With `--json`, it also prints the origin of the response.
 */
export async function run(io: Io, flags: Flags, [file]: readonly string[]): Promise<void> {
  if (flags.listTampers === true) return await listTampers(io, flags);
  const answering = readAnswering(io, flags);
  const { credentials: path } = await resolveCredentialSettings(io, flags);
  const name = file === undefined || file === '-' ? 'Standard input' : file;
  const found = findOptions(parseDocument(await readInput(io, file), name), name);
  for (const remark of found.remarks) say(io, printable(remark));
  const answered = await answer(
    keptInFile(path, (created) => sayCreated(io, created, 'credentials file')),
    found,
    answering,
  );
  for (const reservation of findReservations(answered)) say(io, printable(reservation));
  printJson(io, flags.json === true ? describeAnswer(found, answering, answered) : answered.response);
}

/** Explains why a test must not rely on the outcome that the catalogue states for this mutation. Empty if the test may rely on it. */
function findReservations({ mutation }: Answered): readonly string[] {
  if (mutation === undefined) return [];
  const { id, expected, requires, disputed } = mutation;
  const conditions = requires.length === 0 ? [] : [`${id} should be ${expected} by a server if ${requires.join(' and ')}.`];
  return [...conditions, ...(disputed === undefined ? [] : [`${id}: a correct server may decide otherwise (${clause(disputed)}).`])];
}

const COLUMNS = [{ title: 'ID', max: 60 }, { title: 'CEREMONY' }, { title: 'EXPECTED' }, { title: 'TITLE', yields: 1, max: 100 }];

/** Runs `passkey credential answer --list-tampers`. */
async function listTampers(io: Io, flags: Flags): Promise<void> {
  const rows = listMutations().map(mutationRow);
  if (flags.json === true) return await printJsonArray(io, rows);
  await printAll(
    io,
    tableLines(io, COLUMNS, rows, ({ id, ceremony, expected, title }) => [id, ceremony, expected, title]),
  );
}

function readAnswering(io: Io, flags: Flags): Answering {
  const read = <T>(kind: Kind<T>, name: string, raw: unknown): T | undefined =>
    raw === undefined ? undefined : readFlag(io, kind, name, raw);
  const at = read(origin, '--origin', flags.origin);
  if (at === undefined) {
    throw new PasskeyError('usage', 'Give --origin, the origin of the calling page, such as https://login.example.com.');
  }
  return {
    origin: at,
    topOrigin: read(origin, '--top-origin', flags.topOrigin),
    crossOrigin: flags.crossOrigin === true ? true : undefined,
    mediation: read(oneOf(['conditional']), '--mediation', flags.mediation),
    persona: read(oneOf(PERSONA_NAMES), '--persona', flags.persona),
    userVerification: read(oneOf(USER_VERIFICATIONS), '--user-verification', flags.userVerification),
    credentialId: read(text({ placeholder: 'id' }), '--id', flags.id),
    tamper: read(text({ placeholder: 'id' }), '--tamper', flags.tamper),
  };
}

/**
 * Reads the options from a file or stdin. Refuses stdin if it is a terminal, since the command would wait for the user to type the options.
 */
async function readInput(io: Io, file: string | undefined): Promise<string> {
  if (file === undefined && io.stdin.isTTY === true) {
    throw new PasskeyError(
      'usage',
      'Expected options on standard input, but it is a terminal. Name a file with options, or pipe them in: … | passkey credential answer --origin ….',
    );
  }
  return await readText(io, file ?? '-');
}
