import { PasskeyError } from '../../errors.js';
import type { Fixture } from '../../fixture/format.js';
import { beginName, fixtureName } from '../../fixture/name.js';
import { checkFixture } from '../../fixture/read.js';
import type { RecordingTool } from '../../fixture/recorded-ceremony.js';
import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { type Expectations, NOTHING_EXPECTED } from '../expectations.js';
import { decodeText } from '../requested-options.js';
import { assembleFixture } from './assemble.js';
import { describeOutcome, judgeFixture, sameOutcome } from './judge-fixture.js';
import type { CredentialPart, OptionsPart, Parts } from './parts.js';
import { createKnownRecords, type KnownRecords } from './record.js';

interface ImportOptions {
  readonly given: Expectations;
  /** First part of the names of the new fixtures. Default: the RP ID. */
  readonly name: string | undefined;
  readonly tool: RecordingTool;
  /** Current time in milliseconds since the epoch, used for inputs that contain no time. */
  readonly now: number;
  /** Options given in addition to the inputs, and registrations whose keys verify later logins. */
  readonly options: readonly OptionsPart[];
  readonly registrations: Parts['credentials'];
}

/** An imported ceremony; its `expected` is the verdict of the steps. */
export interface ImportedCeremony {
  readonly source: string;
  readonly fixture: Fixture;
  /** Advice on how to fix a refused ceremony. */
  readonly hint: string | undefined;
  /** Remarks on the imported ceremony, as whole sentences. */
  readonly remarks: readonly string[];
}

/** A ceremony that cannot be converted to a fixture. */
interface RefusedCeremony {
  readonly source: string;
  readonly kind: CeremonyKind;
  /** Why the ceremony cannot be converted, in whole sentences. */
  readonly reason: string;
}

export interface ImportResult {
  readonly imported: readonly ImportedCeremony[];
  readonly refused: readonly RefusedCeremony[];
  /** Number of ceremonies that the inputs contain several times. Each was imported once. */
  readonly repeated: number;
}

/** Makes a fixture of every ceremony in the inputs, in the same order, so that the key of a registration is known for later logins. */
export async function importCeremonies(parts: Parts, options: ImportOptions): Promise<ImportResult> {
  const imported: ImportedCeremony[] = [];
  const refused: RefusedCeremony[] = [];
  const records = createKnownRecords();
  const asked = askedBy([...options.options, ...parts.options], options.options);
  // What is expected is expected of the inputs: a registration that is given beside them has a challenge of its own.
  for (const part of options.registrations) await importOne(part, { asked, records, options: { ...options, given: NOTHING_EXPECTED } });
  const seen = new Set<string>();
  let repeated = 0;
  for (const part of parts.credentials) {
    const key = makeIdentity(part);
    if (seen.has(key)) {
      repeated += 1;
      continue;
    }
    seen.add(key);
    const result = await importOne(part, { asked, records, options });
    if ('reason' in result) refused.push(result);
    else imported.push(result);
  }
  return { imported, refused, repeated };
}

type AskedFor = (part: CredentialPart) => OptionsPart | undefined;

/**
 * Finds the options that contain the challenge in the client data. If there are none but exactly one options dictionary of the same kind
 * was given, returns that one; the ceremony will then fail.
 */
function askedBy(all: readonly OptionsPart[], given: readonly OptionsPart[]): AskedFor {
  const keyOf = (kind: CeremonyKind, challenge: Uint8Array) => `${kind} ${encodeBase64url(challenge)}`;
  const byChallenge = new Map<string, OptionsPart>();
  for (const part of all) {
    const challenge = decodeText(part.json['challenge']);
    if (challenge === undefined) continue;
    const key = keyOf(part.kind, challenge);
    if (!byChallenge.has(key)) byChallenge.set(key, part);
  }
  return ({ kind, credential }) => {
    const { decoded } = credential.clientDataJSON;
    const challenge = decoded?.ok === true ? decodeText(decoded.value.challenge) : undefined;
    const found = challenge && byChallenge.get(keyOf(kind, challenge));
    const ofKind = given.filter((part) => part.kind === kind);
    return found ?? (ofKind.length === 1 ? ofKind[0] : undefined);
  };
}

interface Import {
  readonly asked: AskedFor;
  readonly records: KnownRecords;
  readonly options: ImportOptions;
}

async function importOne(
  part: Parts['credentials'][number],
  { asked, records, options }: Import,
): Promise<ImportedCeremony | RefusedCeremony> {
  const { source } = part;
  const assembled =
    'fixture' in part
      ? { fixture: part.fixture, unchecked: [], userHandle: decodeBase64url(part.fixture.owner.userHandle) }
      : assembleFixture({
          part,
          options: asked(part),
          record: part.kind === 'authentication' ? records.get(part.credential.json['id']) : undefined,
          given: options.given,
          tool: options.tool,
          now: options.now,
        });
  const kind = 'fixture' in part ? part.fixture.kind : part.kind;
  if ('reason' in assembled) return { source, kind, reason: assembled.reason };
  const { unchecked, userHandle } = assembled;
  const invalid = mistakeIn(assembled.fixture, source);
  if (invalid !== undefined) return { source, kind, reason: invalid };
  const judgement = await judgeFixture(assembled.fixture);
  if (judgement.undecided !== undefined) {
    return { source, kind, reason: `It cannot be judged: ${judgement.undecided.join('; ')}.` };
  }
  const { outcome: expected, hint } = judgement;
  const fixture = finished(assembled.fixture, {
    expected,
    unchecked,
    name: 'fixture' in part && options.name === undefined ? part.fixture.name : undefined,
    beginning: options.name,
  });
  if (expected.outcome === 'verified') records.add(fixture, userHandle);
  const differs = 'fixture' in part && !sameOutcome(part.fixture.expected, expected);
  return {
    source,
    fixture,
    hint,
    remarks: [
      ...(unchecked.length === 0 ? [] : [uncheckedRemark(unchecked)]),
      ...(differs ? [`The fixture expected ${describeOutcome(part.fixture.expected)}.`] : []),
    ],
  };
}

interface Finding extends Pick<Fixture, 'expected'> {
  readonly unchecked: readonly string[];
  /** Name of the ceremony, if the input is a fixture. Other ceremonies are named after their contents. */
  readonly name: string | undefined;
  readonly beginning: string | undefined;
}

/** Completes a fixture with its verdict and name. If the verdict refuses a registration, removes the credential record. */
function finished(assembled: Fixture, { expected, unchecked, name, beginning = beginName(assembled.rpId) }: Finding): Fixture {
  const { credential, provenance, integrity: _, ...fixture } = assembled;
  const keepsRecord = fixture.kind === 'authentication' || expected.outcome === 'verified';
  return {
    ...fixture,
    name: name ?? fixtureName(beginning, fixture.kind, expected),
    ...(credential !== undefined && keepsRecord && { credential }),
    expected,
    provenance: { ...provenance, ...(unchecked.length > 0 && { notes: uncheckedRemark(unchecked) }) },
  };
}

function uncheckedRemark(unchecked: readonly string[]): string {
  const listed = new Intl.ListFormat('en').format(unchecked);
  const [verb, was] = unchecked.length === 1 ? ['comes', 'was'] : ['come', 'were'];
  return `${listed.charAt(0).toUpperCase()}${listed.slice(1)} ${verb} from the response itself and ${was} not checked.`;
}

/** Describes a value of the ceremony that is not valid in a fixture, such as an invalid origin; undefined if all are valid. */
function mistakeIn(fixture: Fixture, source: string): string | undefined {
  try {
    checkFixture({ ...fixture }, { source, text: () => JSON.stringify(fixture) });
    return undefined;
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return `It cannot be written as a fixture: ${error.errors?.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; ') ?? error.message}.`;
  }
}

function makeIdentity(part: Parts['credentials'][number]): string {
  if ('fixture' in part) return JSON.stringify(part.fixture);
  const { clientDataJSON, attestationObject, signature } = part.credential.response;
  return JSON.stringify([part.kind, part.credential.json['id'], clientDataJSON, attestationObject, signature]);
}
