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

/** One ceremony of an input: its report, or the error that prevented one. */
export interface ExplainedCeremony {
  readonly name: string | undefined;
  readonly kind: CeremonyKind;
  readonly expected: CeremonyInput['expected'];
  readonly answer: CeremonyInput['answer'];
  /** Explanations of the errors in the server's response, or in text that came with the ceremony. */
  readonly knownErrors: readonly KnownError[];
  readonly outcome: CeremonyReport | PasskeyError;
  /** One sentence: the server's refusal, otherwise the verdict of the steps. */
  readonly headline: string;
  /** The credential as in the input. */
  readonly response: JsonObject;
  /** The options that the credential was checked against; undefined if unknown. */
  readonly options: JsonObject | undefined;
  /** Facts that the input lacks, with the source that supplied them. */
  readonly knownFrom: readonly KnownFrom[];
}

/** Hooks with which the caller controls an explanation. */
export interface ExplainHooks {
  /** Called with the number of ceremonies before the first is verified; may throw to stop. */
  readonly accept?: ((ceremonies: number) => void) | undefined;
  /** Awaited before each of several ceremonies, since each takes milliseconds; may throw to stop. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Looks up facts about ceremonies that the input lacks. */
  readonly knowledge?: Knowledge | undefined;
  /** Whether to make the tree. Default true. */
  readonly withTree?: boolean;
}

export interface Explained {
  readonly recognised: Recognised;
  /** The annotated tree; undefined if the caller does not show it. */
  readonly tree: AnnotatedNode | undefined;
  /** Explained ceremonies; empty if the input is not a ceremony, or nothing is known about it. */
  readonly ceremonies: readonly ExplainedCeremony[];
  /** Calls of an archive that got no response. */
  readonly unanswered: readonly UnansweredCall[];
  /** Explanations of an error text that came without a ceremony. */
  readonly knownErrors: readonly KnownError[];
  /** Advice about an options dictionary. */
  readonly advice: readonly Advice[];
  /** The first error of the tree that neither steps nor advice mention. */
  readonly unreadable: PasskeyError | undefined;
}

/**
 * Explains one input in full.
 *
 * @param now returns the machine's time, in milliseconds since the epoch.
 * @throws PasskeyError `validation_failed` or `fixture_invalid` with the first wrong byte or position, for an input that is not what it
 * looks like.
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

/** Collects the facts of a ceremony that help to explain an error. */
function besideCeremony({ clientDataJSON: { decoded } }: ReadCredential, options: JsonObject | undefined) {
  return { rpId: readRpId(options), origins: decoded?.ok === true ? [decoded.value.origin] : [] };
}

/** Explains the errors in a text, with the help of options or a response in the same text. */
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
 * Explains the errors in the server's response that this ceremony can cause. A cause that the recording proves replaces those that are only
 * likely.
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

/** Returns a refusal if the text complains about an encoding that the response does not have. */
function refusedFor([error]: readonly KnownError[]): CeremonyInput['answer'] {
  return error?.from === 'recording' ? { status: null, verdict: 'refused', body: '', message: null } : undefined;
}

/** Returns a text without the JSON objects in it. */
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

/** Encodes the recognised JSON. Returns the input's own text if the fixture is all of it, so that a message can name line and column. */
export function encodeRecognised({ pointer, encodings, json }: Extract<Recognised, { readonly json: unknown }>, bytes: Uint8Array): string {
  return pointer === '' && encodings.length === 1 ? decodeUtf8(bytes).replace(/^\ufeff/, '') : JSON.stringify(json);
}

/**
 * Reports on one ceremony. If a recorded response cannot be read, that is why it was refused, and the error is returned as its explanation.
 * A credential by itself that cannot be read is a wrong input: the error is thrown.
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

/** Lists candidate RP IDs of the input, by the hexadecimal of their hash. */
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
