import { PasskeyError } from '../errors.js';
import type { Fixture } from '../fixture/format.js';
import { parseFixture } from '../fixture/read.js';
import { decodeUtf8 } from '../webauthn/bytes.js';
import { annotate } from './annotate/annotate.js';
import { type AnnotatedNode, firstError } from './annotate/node.js';
import { recognise } from './annotate/recognise.js';
import type { Recognised } from './annotate/recognised.js';
import { type CeremonyInput, ceremonyOfCredential } from './ceremonies.js';
import { type Expectations, saysOfCeremony } from './expectations.js';
import { ceremonyOfFixture } from './from-fixture.js';
import { ceremoniesOfHar } from './from-har.js';
import { type Advice } from './lint/advice.js';
import { lintCreationOptions, lintRequestOptions } from './lint/lint-options.js';
import { observeMetadata } from './metadata.js';
import { type CeremonyReport, reportAuthentication, reportRegistration } from './report/report.js';
import { rpIdHashes } from './rp-id-hashes.js';

/** One thing to explain, read whole. */
export interface Input {
  /** Its path as given or found, `-` for standard input, with `:LINE` for a line of several. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** One ceremony of an input: its report, or why there is none. */
export interface ExplainedCeremony {
  readonly name: string | undefined;
  readonly kind: 'registration' | 'authentication';
  readonly expected: CeremonyInput['expected'];
  readonly outcome: CeremonyReport | PasskeyError;
}

export interface Explained {
  readonly recognised: Recognised;
  readonly tree: AnnotatedNode;
  /** Empty where nothing is known of the ceremony, or the input is none. */
  readonly ceremonies: readonly ExplainedCeremony[];
  /** About an options dictionary. */
  readonly advice: readonly Advice[];
  /** The first place of the tree that cannot be read, where neither the steps of a ceremony nor advice on options say so. */
  readonly unreadable: PasskeyError | undefined;
}

/**
 * Everything there is to say of one input.
 *
 * @param now the machine's time (ms).
 * @throws PasskeyError `validation_failed` or `fixture_invalid` with the first wrong byte or place, for what is not what it seems.
 */
export async function explainInput({ name, bytes }: Input, settings: Expectations, now: number): Promise<Explained> {
  const recognised = recognise(bytes, name === '-' ? 'Standard input' : name);
  const inputs = ceremoniesOf(recognised, { name, bytes }, settings, now);
  const ceremonies: ExplainedCeremony[] = [];
  for (const input of inputs) {
    ceremonies.push({
      name: input.name,
      kind: input.kind,
      expected: input.expected,
      outcome: await reportOf(input, recognised, settings),
    });
  }
  const tree = annotate(recognised, { aaguidName: settings.aaguidName, rpIds: rpIdHashes(inputs, settings) });
  return {
    recognised,
    tree,
    ceremonies,
    advice: adviceOf(recognised, settings),
    unreadable: ceremonies.length === 0 && !OPTIONS.includes(recognised.kind) ? unreadableOf(tree) : undefined,
  };
}

const OPTIONS: readonly string[] = ['creation-options', 'request-options'];

function unreadableOf(tree: AnnotatedNode): PasskeyError | undefined {
  const found = firstError(tree);
  const where = found === undefined || found.path.length === 0 ? '' : `${found.path.join(' / ')}: `;
  return found && new PasskeyError('validation_failed', `${where}${found.error}`);
}

function ceremoniesOf(recognised: Recognised, { name, bytes }: Input, settings: Expectations, now: number): readonly CeremonyInput[] {
  switch (recognised.kind) {
    case 'registration':
    case 'authentication':
      return saysOfCeremony(settings) ? [ceremonyOfCredential(recognised.kind, recognised.json, settings, now)] : [];
    case 'fixture':
      return [ceremonyOfFixture(fixtureOf(recognised, name, bytes), settings)];
    case 'har':
      return ceremoniesOfHar(recognised.json, settings, now);
    default:
      return [];
  }
}

/** Read from its own text where that is the input, so that a message names line and column. */
function fixtureOf(recognised: Extract<Recognised, { readonly json: unknown }>, name: string, bytes: Uint8Array): Fixture {
  const isWhole = recognised.pointer === '' && recognised.encodings.length === 1;
  return parseFixture(isWhole ? decodeUtf8(bytes) : JSON.stringify(recognised.json), name);
}

/** A recording whose response cannot even be read was refused for that, and its explanation says so; a credential by itself is a wrong input. */
async function reportOf(input: CeremonyInput, { kind }: Recognised, { metadata }: Expectations): Promise<CeremonyReport | PasskeyError> {
  try {
    if (input.kind === 'authentication') return await reportAuthentication(input.response, input.known);
    const report = await reportRegistration(input.response, input.known);
    return { ...report, observations: [...report.observations, ...observeMetadata(metadata, input.response)] };
  } catch (error) {
    if (error instanceof PasskeyError && error.code === 'validation_failed' && kind !== 'registration' && kind !== 'authentication')
      return error;
    throw error;
  }
}

function adviceOf(recognised: Recognised, { origins }: Expectations): readonly Advice[] {
  switch (recognised.kind) {
    case 'creation-options':
      return lintCreationOptions(recognised.json, origins?.[0]);
    case 'request-options':
      return lintRequestOptions(recognised.json, origins?.[0]);
    default:
      return [];
  }
}
