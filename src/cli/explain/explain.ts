import type { Command } from 'commander';
import pc from 'picocolors';
import { PasskeyError } from '../../errors.js';
import { documentOfError, writeDocuments } from '../../explain/document.js';
import { EXPECTATION_MEMBERS } from '../../explain/expectation-members.js';
import type { Expectations } from '../../explain/expectations.js';
import { type Explained, type ExplainedCeremony, explainInput, type Input } from '../../explain/explain.js';
import { isRefusal } from '../../explain/server-answer.js';
import { MAX_JSON_VALUES } from '../../kernel/json-value.js';
import { MAX_CERTIFICATE_BYTES, MAX_DOCUMENT_BYTES, MAX_STRUCTURE_BYTES } from '../../kernel/limits.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { oneOf } from '../config/values.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { chooseOutput, hasColour, type Io, printAll, printJson, say, warn } from '../io.js';
import { printableLines, toJson } from '../output/printable.js';
import { addExpectations } from './expectations.js';
import { renderCallLine, renderExplanation, renderKind, renderLine } from './explanation.js';
import { type Item, openInputs } from './inputs.js';
import { readSettings } from './settings.js';
import { summarize } from './summary.js';

export function define(command: Command): void {
  addExpectations(command);
  addFlags(
    command,
    {
      metadata: `${EXPECTATION_MEMBERS.metadata.meaning}; needs --metadata-root`,
      metadataRoot: 'root certificate that the BLOB must chain to; GlobalSign Root R3 for the BLOB of the FIDO Alliance',
      aaguids: EXPECTATION_MEMBERS.aaguidNames.meaning,
    },
    'Expected values:',
  );
  addFlags(
    command,
    {
      brief:
        'leave out the tree, and the steps that pass (default: on a terminal, for a HAR with several ceremonies; --no-brief prints everything)',
      failOn: {
        about: 'exit 1 also for advice on options of this severity: error or warning (default: advice does not change the exit code)',
        completes: { words: ['error', 'warning'] },
      },
      summary: 'count the refusals in a log of JSON lines by code and step, with the first and the last time',
      noBrief: { about: 'print everything', isHidden: true },
      json: 'print one JSON document; one per line for folders, JSON lines, archives and several files',
    },
    'Output:',
  );
  addHelp(command, {
    examples: [
      'passkey explain fixtures/recorded',
      'passkey explain response.json --rp-id example.org --origin https://example.org --challenge 3q2-7w…',
      'passkey explain login.json --rp-id example.org --origin https://example.org --challenge 3q2-7w… --public-key registration.json',
      'pbpaste | passkey explain',
      'passkey explain options.json --json',
      'passkey explain --summary log.jsonl',
    ],
    remarks: [
      'FILE is a file, a folder of fixtures, or - for standard input; without FILE, a pipe is read. The kind of input is recognised: responses of create() and get(), options, both together ({ options, response }, two pastes, log lines, console.log), fixtures, JSON lines of them, HTTP archives (HAR), what the test page copies as JSON, error messages of browsers and libraries, attestation objects, authenticator data, client data, COSE keys and certificates; as JSON, PEM, base64, base64url, hexadecimal or bytes.',
      `JSON may have ${mebibytes(MAX_DOCUMENT_BYTES)} and ${MAX_JSON_VALUES} values, and HTTP archives may be larger; a certificate may have ${MAX_CERTIFICATE_BYTES} bytes, any other input ${mebibytes(MAX_STRUCTURE_BYTES)}.`,
      '--summary reads server logs, the audit log, lines of browse --json or explain --json, problem documents, ceremonies, and error messages of libraries, and ignores other lines. It exits 0; unreadable lines are counted and named.',
      'Exits 0 when no ceremony is rejected, 1 when the steps or the server refuse one, when one failed, or when a call in a HAR got no response, 2 when an input cannot be explained. Advice on options changes the exit code only with --fail-on. If a step that decides lacks a value, the verdict is undecided.',
    ],
    common: ['--rp-id', '--origin', '--challenge', '--public-key', '--json'],
    page: 'explain.md',
  });
}

const mebibytes = (bytes: number): string => `${bytes / 2 ** 20} MiB`;

const WIDTH = 80;
const REJECTED = 1;
const UNREADABLE = 2;

/**
 * Runs `passkey explain FILE|DIR|-`. Exits 0 without findings. Exits 1 if the steps or the server rejected a ceremony, if a ceremony
 * failed, if a call got no response, or if advice is as severe as `--fail-on`. Exits 2 if an input cannot be read as the kind of data that
 * it seems to be.
 */
export async function run(io: Io, flags: Flags, names: readonly string[]): Promise<number> {
  const settings = await readSettings(io, flags);
  if (names.length === 0 && io.stdin.isTTY === true) {
    throw new PasskeyError(
      'usage',
      'There is nothing to explain. Name a file, or pipe a response to this command: pbpaste | passkey explain.',
    );
  }
  if (flags.summary === true) {
    await summarize(io, names.length === 0 ? ['-'] : names, { settings, json: flags.json === true });
    return 0;
  }
  const failOn = flags.failOn === undefined ? undefined : readFlag(io, oneOf(['error', 'warning']), '--fail-on', flags.failOn);
  const fails = (explained: Explained) =>
    failOn !== undefined && explained.advice.some(({ severity }) => severity === 'error' || severity === failOn);
  const inputs = await openInputs(io, names.length === 0 ? ['-'] : names);
  return inputs.only === undefined
    ? explainSeveral(io, inputs.items, { settings, json: flags.json === true, fails })
    : explainOne(io, inputs.only, { settings, flags, fails });
}

/** Decides whether the advice on options makes the command fail. */
type Fails = (explained: Explained) => boolean;

interface One {
  readonly settings: Expectations;
  readonly flags: Flags;
  readonly fails: Fails;
}

async function explainOne(io: Io, input: Input, { settings, flags, fails }: One): Promise<number> {
  const explaining = async () => explainInput({ ...input, name: shownName(input.name) }, settings, io.now());
  const explained = await explaining().catch((error: unknown) => {
    const cause = unreadable(error);
    // Not 1, which means that a ceremony is rejected.
    const code = cause.exitCode === UNREADABLE ? cause.code : 'validation_failed';
    throw new PasskeyError(code, named(input.name, cause.message), { cause });
  });
  const isBrief = typeof flags.brief === 'boolean' ? flags.brief : isLong(io, explained);
  if (flags.json === true) await printDocuments(io, writeDocuments(input.name, explained));
  else await printAll(io, renderExplanation(explained, isBrief, chooseStyle(io)));
  if (explained.unreadable !== undefined) {
    sayProblem(io, input.name, explained.unreadable);
    return UNREADABLE;
  }
  return explained.unanswered.length > 0 || explained.ceremonies.some(isRefused) || fails(explained) ? REJECTED : 0;
}

/** Checks whether an explanation is probably longer than the terminal, as for an archive with several ceremonies. */
function isLong(io: Io, { recognised, ceremonies, unanswered }: Explained): boolean {
  return io.stdout.isTTY === true && recognised.kind === 'har' && ceremonies.length + unanswered.length > 1;
}

async function printDocuments(io: Io, documents: readonly unknown[]): Promise<void> {
  if (documents.length === 1) printJson(io, documents[0]);
  else await printAll(io, toLines(documents));
}

function* toLines(documents: readonly unknown[]): Generator<string> {
  for (const document of documents) yield `${toJson(document)}\n`;
}

interface Several {
  readonly settings: Expectations;
  readonly json: boolean;
  readonly fails: Fails;
}

async function explainSeveral(io: Io, items: AsyncIterable<Item>, { settings, json, fails }: Several): Promise<number> {
  const style = chooseStyle(io);
  const counts = {
    accepted: 0,
    rejected: 0,
    undecided: 0,
    'refused by their server': 0,
    'without a response': 0,
    'without a ceremony': 0,
    unreadable: 0,
  };
  let isAdvised = false;
  for await (const item of items) {
    const result =
      'problem' in item ? item.problem : await explainLines(item, settings, io.now, json ? undefined : style).catch(unreadable);
    const explained = result instanceof PasskeyError ? result : result.explained;
    const problem = explained instanceof PasskeyError ? explained : explained.unreadable;
    if (problem !== undefined) {
      counts.unreadable += 1;
      if (!json) sayProblem(io, item.name, problem);
    }
    if (!(explained instanceof PasskeyError)) {
      const { ceremonies, unanswered } = explained;
      isAdvised ||= fails(explained);
      counts['without a response'] += unanswered.length;
      for (const ceremony of ceremonies) {
        const verdict = ceremony.outcome instanceof PasskeyError ? 'rejected' : ceremony.outcome.verdict;
        counts[verdict !== 'rejected' && isRefused(ceremony) ? 'refused by their server' : verdict] += 1;
      }
      if (problem === undefined && ceremonies.length + unanswered.length === 0) counts['without a ceremony'] += 1;
    }
    const lines = result instanceof PasskeyError ? (json ? toLines([documentOfError(item.name, result)]) : []) : result.lines;
    // The reader has gone.
    if (!(await printAll(io, lines))) break;
  }
  if (!json) {
    say(
      io,
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([what, count]) => `${count} ${what}`)
        .join(', '),
    );
  }
  return counts.unreadable > 0
    ? UNREADABLE
    : isAdvised || counts.rejected + counts['refused by their server'] + counts['without a response'] > 0
      ? REJECTED
      : 0;
}

/** Explains one of many inputs, as text or as JSON lines. Writes the explanation only when it is complete. */
async function explainLines(
  input: Input,
  settings: Expectations,
  now: () => number,
  style: ReturnType<typeof chooseStyle> | undefined,
): Promise<{ readonly explained: Explained; readonly lines: readonly string[] }> {
  const explained = await explainInput({ ...input, name: shownName(input.name) }, settings, now(), { withTree: false });
  if (style === undefined) {
    return { explained, lines: [...toLines(writeDocuments(input.name, explained))] };
  }
  const { ceremonies, unanswered, unreadable: problem } = explained;
  const kind = ceremonies.length + unanswered.length === 0 && problem === undefined ? [renderKind(input.name, explained, style)] : [];
  const calls = unanswered.map((call) => renderCallLine(call, style));
  const lines = [...kind, ...ceremonies.map((ceremony) => renderLine(input.name, ceremony, style)), ...calls];
  return { explained, lines: lines.map((line) => `${line}\n`) };
}

/** Converts any failure, even an unexpected one, to an error about its input, so that the other inputs are still explained. */
function unreadable(error: unknown): PasskeyError {
  if (error instanceof PasskeyError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new PasskeyError('internal_error', `This cannot be explained because of an unexpected error (${reason}). Please report it.`, {
    cause: error,
  });
}

function sayProblem(io: Io, name: string, { message }: PasskeyError): void {
  warn(io, printableLines(`passkey: ${named(name, message)}`));
}

function shownName(name: string): string {
  return name === '-' ? 'Standard input' : name;
}

/** Puts the name of the input before a message, unless the message already begins with that name. */
function named(name: string, message: string): string {
  const shown = shownName(name);
  return message.startsWith(shown) ? message : `${shown}: ${message}`;
}

/** Checks whether a ceremony is rejected by the steps, or was refused by the server in a recording. */
function isRefused({ outcome, answer }: ExplainedCeremony): boolean {
  return outcome instanceof PasskeyError || outcome.verdict === 'rejected' || (answer !== undefined && isRefusal(answer));
}

function chooseStyle(io: Io) {
  return { width: WIDTH, paint: pc.createColors(hasColour(io, chooseOutput(io))) };
}
