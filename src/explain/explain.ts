import { PasskeyError } from '../errors.js';
import { checkFixture } from '../fixture/read.js';
import { decodeUtf8, toHex } from '../kernel/bytes.js';
import type { JsonObject } from '../kernel/json-value.js';
import { hashOfRpId, hostSuffixes } from '../relying-party/diagnosis/rp-id.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import { parseUrl } from '../webauthn/rp-id.js';
import { annotate } from './annotate/annotate.js';
import { lacksContents } from './annotate/har-entries.js';
import { type AnnotatedNode, firstError } from './annotate/node.js';
import type { ReadCredential } from './annotate/read-credential.js';
import { type Recognised, recognise } from './annotate/recognise.js';
import { type CeremonyInput, type Knowledge, type KnownFrom, makeCeremony, withKnown } from './ceremonies.js';
import type { KnownError } from './document-schema.js';
import { explainErrorText, findLibraryErrors } from './error-text.js';
import type { Expectations } from './expectations.js';
import { ceremonyOfFixture } from './fixture.js';
import { ceremoniesOfHar } from './har.js';
import { writeHeadline } from './headline.js';
import { explainPastedTwice, observeStringifiedTwice } from './json-inside-json.js';
import { type Advice, advise } from './lint/advice.js';
import { lintCreationOptions, lintRequestOptions } from './lint/lint-options.js';
import { readPastedAnswer } from './pasted-answer.js';
import { explainEncoding } from './recorded-look-up.js';
import { type CeremonyReport, reportAuthentication, reportRegistration } from './report/report.js';
import { readRpId } from './requested-options.js';
import { isRefusal } from './server-answer.js';
import { findUnanswered, type UnansweredCall } from './unanswered.js';

/** One input to explain, with all its bytes. */
export interface Input {
  /** Name of the input in messages. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** One ceremony of an input, with its report or the error that prevented a report. */
export interface ExplainedCeremony {
  readonly name: string | undefined;
  readonly kind: CeremonyKind;
  readonly expected: CeremonyInput['expected'];
  readonly answer: CeremonyInput['answer'];
  /** Explanations of the errors in the server's response, or in text that accompanied the ceremony. */
  readonly knownErrors: readonly KnownError[];
  readonly outcome: CeremonyReport | PasskeyError;
  /** One sentence: why the server refused, otherwise the verdict of the steps. */
  readonly headline: string;
  /** The credential as it is in the input. */
  readonly response: JsonObject;
  /** The options that the credential was checked against; undefined if unknown. */
  readonly options: JsonObject | undefined;
  /** Facts that are missing in the input and were looked up elsewhere, each with its source. */
  readonly knownFrom: readonly KnownFrom[];
}

/** Hooks with which the caller controls an explanation. */
export interface ExplainHooks {
  /** Called once, before the first ceremony is verified, with the number of ceremonies. May throw to stop. */
  readonly accept?: ((ceremonies: number) => void) | undefined;
  /** If there are several ceremonies, awaited before each, since verifying one takes milliseconds. May throw to stop. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Looks up facts about a ceremony that are missing in the input. */
  readonly knowledge?: Knowledge | undefined;
  /** Whether to make the tree. Default true. */
  readonly withTree?: boolean;
}

export interface Explained {
  readonly recognised: Recognised;
  /** The annotated tree; undefined if the caller does not show it. */
  readonly tree: AnnotatedNode | undefined;
  /** The explained ceremonies; empty if the input is not a ceremony, or if nothing can be said about it. */
  readonly ceremonies: readonly ExplainedCeremony[];
  /** Browser calls of an HTTP archive whose options no credential answered. */
  readonly unanswered: readonly UnansweredCall[];
  /** Explanations of an error message that was given without a ceremony. */
  readonly knownErrors: readonly KnownError[];
  /** Advice about an options dictionary. */
  readonly advice: readonly Advice[];
  /** The first error in the tree of an input that is neither a ceremony nor options. */
  readonly unreadable: PasskeyError | undefined;
}

/**
 * Explains one input in full.
 *
 * @param now returns the machine's time, in milliseconds since the epoch.
 * @throws PasskeyError `validation_failed` or `fixture_invalid` with the first wrong byte or position, if the input is malformed.
 */
export async function explainInput(
  { name, bytes }: Input,
  settings: Expectations,
  now: number,
  { accept, pause, knowledge = nothingKnown, withTree = true }: ExplainHooks = {},
): Promise<Explained> {
  const recognised = recognise(bytes, name);
  const inputs = await findCeremonies(recognised, { name, bytes }, { settings, now, knowledge });
  const unanswered = recognised.kind === 'har' ? findUnanswered(recognised.json, recognised.findings) : [];
  accept?.(inputs.length + unanswered.length);
  const textErrors = explainText(recognised, settings);
  const ceremonies: ExplainedCeremony[] = [];
  for (const [index, found] of inputs.entries()) {
    // A text beside several ceremonies is about the last.
    const isLast = index === inputs.length - 1;
    const pasted = isLast && recognised.beside !== undefined ? (readPastedAnswer(recognised.beside) ?? refusedFor(textErrors)) : undefined;
    const input = { ...found, answer: found.answer ?? pasted };
    if (inputs.length > 1) await pause?.();
    const outcome = await makeReport(input, recognised);
    const known = [...(isLast ? textErrors : []), ...explainAnswer(found, outcome)];
    ceremonies.push({
      name: input.name,
      kind: input.kind,
      expected: input.expected,
      answer: input.answer,
      knownErrors: known,
      outcome,
      headline: writeHeadline(input, outcome, known),
      response: input.credential.json,
      options: input.known.options,
      knownFrom: input.knownFrom,
    });
  }
  const makeTree = () => annotate(recognised, { aaguidName: settings.aaguidName, rpIds: rpIdHashes(inputs, settings) });
  const tree = withTree ? makeTree() : undefined;
  return {
    recognised,
    tree,
    ceremonies,
    unanswered,
    knownErrors: inputs.length === 0 ? textErrors : [],
    advice: giveAdvice(recognised, settings),
    unreadable: ceremonies.length === 0 && !OPTIONS.includes(recognised.kind) ? findUnreadable(recognised, tree ?? makeTree()) : undefined,
  };
}

/** Collects the facts of a ceremony that help to explain an error message. */
function besideCeremony({ clientDataJSON: { decoded } }: ReadCredential, options: JsonObject | undefined) {
  return { rpId: readRpId(options), origins: decoded?.ok === true ? [decoded.value.origin] : [] };
}

/** Explains the error messages in a text, using options or a response that the same text contains. */
function explainText(recognised: Recognised, { rpId, origins }: Expectations): KnownError[] {
  if (recognised.kind === 'error-text') return explainErrorText(recognised.text, { rpId, origins });
  if (recognised.beside === undefined) return [];
  const objects = 'findings' in recognised ? recognised.findings.map(({ found }) => found) : 'json' in recognised ? [recognised] : [];
  const options = objects.find(({ kind }) => OPTIONS.includes(kind))?.json;
  const credential = objects.map((one) => ('credential' in one ? one.credential : undefined)).find((one) => one !== undefined);
  const found = credential && besideCeremony(credential, options);
  const encoding =
    credential && explainEncoding(credential, `${withoutObjects(recognised.beside)} ${readPastedAnswer(recognised.beside)?.body ?? ''}`);
  const named = explainErrorText(recognised.beside, { rpId: rpId ?? found?.rpId, origins: origins ?? found?.origins, options });
  const isRefused = named.length > 0 || readPastedAnswer(recognised.beside) !== undefined;
  return [...(isRefused ? explainPastedTwice(recognised.encodings) : []), ...(encoding === undefined ? [] : [encoding]), ...named];
}

/**
 * Explains the errors in the server's response, except those that this ceremony cannot cause. A cause that the recording proves replaces
 * one that is only likely.
 */
function explainAnswer(
  { answer, recordedError, certainError, credential, known }: CeremonyInput,
  outcome: CeremonyReport | PasskeyError,
): KnownError[] {
  const named = answer !== undefined && isRefusal(answer) ? findLibraryErrors(answer.body, besideCeremony(credential, known.options)) : [];
  const found = named.filter(
    ({ step }) => step === null || outcome instanceof PasskeyError || outcome.steps.some(({ slug }) => slug === step),
  );
  if (certainError !== undefined) return [certainError, ...found];
  if (recordedError === undefined) return found;
  const about = found.find(({ step }) => step === recordedError.step);
  // Another error that the library names is the reason: what the recording shows need not be one.
  if (about === undefined && found.length > 0) return found;
  return [{ ...recordedError, ...(about && { from: about.from, source: about.source }) }, ...found.filter((one) => one !== about)];
}

/** Returns a refusal if the error message blames an encoding that the response does not use. */
function refusedFor([error]: readonly KnownError[]): CeremonyInput['answer'] {
  return error?.from === 'recording' ? { status: null, verdict: 'refused', body: '', message: null } : undefined;
}

/** Removes the part of a text from its first `{` to its last `}`, which contains the JSON objects. */
function withoutObjects(text: string): string {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  return start === -1 ? text : `${text.slice(0, start)} ${text.slice(end + 1)}`;
}

const OPTIONS: readonly string[] = ['creation-options', 'request-options'];

function findUnreadable(recognised: Recognised, tree: AnnotatedNode): PasskeyError | undefined {
  if (recognised.kind === 'har' && recognised.findings.length === 0 && lacksContents(recognised.json)) {
    return new PasskeyError('validation_failed', NO_CONTENTS);
  }
  const found = firstError(tree);
  const where = found === undefined || found.path.length === 0 ? '' : `${found.path.join(' / ')}: `;
  return found && new PasskeyError('validation_failed', `${where}${found.error}`);
}

const NO_CONTENTS =
  'This HAR has no contents, so there is nothing to explain. Record it again: in Chrome open DevTools before the login, tick "Preserve log", and choose "Export HAR (with sensitive data)"; in Firefox "Save All As HAR"; with Playwright recordHar: { content: "embed" }.';

const nothingKnown: Knowledge = async () => undefined;

interface Around {
  readonly settings: Expectations;
  readonly now: number;
  readonly knowledge: Knowledge;
}

async function findCeremonies(
  recognised: Recognised,
  { name, bytes }: Input,
  { settings, now, knowledge }: Around,
): Promise<readonly CeremonyInput[]> {
  switch (recognised.kind) {
    case 'registration':
    case 'authentication': {
      const { kind, credential } = recognised;
      const known = await knowledge(kind, credential);
      const made = makeCeremony(kind, credential, { at: now, ...known?.recorded }, settings);
      const input = { ...made, observations: [...made.observations, ...observeStringifiedTwice(recognised.encodings)] };
      return [known === undefined ? input : withKnown(input, known)];
    }
    case 'fixture':
      return [
        ceremonyOfFixture(
          checkFixture(recognised.json, { source: name, text: () => encodeRecognised(recognised, bytes) }),
          recognised.credential,
          settings,
        ),
      ];
    case 'har':
    case 'page-run':
    case 'messages':
      return ceremoniesOfHar(recognised.findings, { settings, now, knowledge });
    default:
      return [];
  }
}

/**
 * Converts the recognised JSON to text. If the JSON is the whole input, keeps the text of the input, so that messages can name line and
 * column.
 */
export function encodeRecognised({ pointer, encodings, json }: Extract<Recognised, { readonly json: unknown }>, bytes: Uint8Array): string {
  return pointer === '' && encodings.length === 1 ? decodeUtf8(bytes).replace(/^\ufeff/, '') : JSON.stringify(json);
}

/**
 * Reports on one ceremony. If the response in a recording cannot be read, returns the error, because it explains why the server refused the
 * response. If the input is only a credential that cannot be read, throws the error, because the input is wrong.
 */
async function makeReport(input: CeremonyInput, { kind }: Recognised): Promise<CeremonyReport | PasskeyError> {
  try {
    const report = await (input.kind === 'authentication'
      ? reportAuthentication(input.credential, input.known)
      : reportRegistration(input.credential, input.known));
    return { ...report, observations: [...report.observations, ...input.observations] };
  } catch (error) {
    if (error instanceof PasskeyError && error.code === 'validation_failed' && kind !== 'registration' && kind !== 'authentication') {
      return error;
    }
    throw error;
  }
}

function giveAdvice(recognised: Recognised, { origins }: Expectations): readonly Advice[] {
  switch (recognised.kind) {
    case 'creation-options':
      return [...adviseNesting(recognised), ...lintCreationOptions(recognised.json, origins?.[0])];
    case 'request-options':
      return [...adviseNesting(recognised), ...lintRequestOptions(recognised.json, origins?.[0])];
    default:
      return [];
  }
}

function adviseNesting({ encodings }: Recognised): readonly Advice[] {
  return observeStringifiedTwice(encodings).map(({ message }) => advise('error', '', message));
}

/** Lists the RP IDs that the input may be about, by their hash in hexadecimal. */
export function rpIdHashes(
  ceremonies: readonly CeremonyInput[] = [],
  { rpId, origins = [] }: Partial<Pick<Expectations, 'rpId' | 'origins'>> = {},
): ReadonlyMap<string, string> {
  const named = ceremonies.flatMap(({ known, credential: { clientDataJSON } }) => {
    const page = clientDataJSON.decoded?.ok === true ? [clientDataJSON.decoded.value.origin] : [];
    return [known.rpId ?? [], readRpId(known.options) ?? [], [...(known.origins ?? []), ...page].map(readHost)].flat();
  });
  const candidates = [rpId ?? [], origins.map(readHost), named, 'localhost'].flat().flatMap((host) => hostSuffixes(host));
  return new Map(candidates.map((candidate) => [toHex(hashOfRpId(candidate)), candidate]));
}

function readHost(origin: string): string {
  return parseUrl(origin)?.hostname ?? origin;
}
