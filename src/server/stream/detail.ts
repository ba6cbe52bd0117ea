import { PasskeyError } from '../../errors.js';
import { explainBrowserError } from '../../explain/browser-errors/browser-errors.js';
import { failedCall, UNSEEN } from '../../explain/browser-errors/failed-call.js';
import { explainSoftwareError } from '../../explain/browser-errors/software-errors.js';
import type { Explanation } from '../../explain/error-texts/meaning.js';
import { recordCeremony } from '../../fixture/recorded-ceremony.js';
import { computeIntegrity } from '../../fixture/write.js';
import { makeShape } from '../../kernel/shape.js';
import type { Policy } from '../../relying-party/policy.js';
import type { StreamDetail, StreamEntry } from '../schemas/stream.js';
import { type ReadEnd, readEnd, readOptions, trustDigest } from './end-text.js';
import { explainEnd } from './explanation.js';
import { Kept, NOTHING_KEPT, type Withheld, withoutOpen } from './kept-entry.js';

/** An entry with what is kept of it. */
export interface FoundEntry {
  readonly entry: StreamEntry;
  /** As it was read; undefined when it is not kept any more. */
  readonly kept: unknown;
  /** Its challenge, where it is over without having been answered. */
  readonly challenge: string | undefined;
  readonly withheld: Withheld | undefined;
}

interface DetailContext {
  /** In force now. */
  readonly policy: Policy;
  /** Version of the program, as fixtures state it. */
  readonly version: string;
}

const KEPT = makeShape(Kept);

export async function writeDetail({ entry, kept: read, challenge, withheld }: FoundEntry, context: DetailContext): Promise<StreamDetail> {
  const { kept, known } = readKept(read, context.policy);
  const { method, path, title, change, options } = kept;
  const detail = { ...entry, method, path, title, change };
  if (kept.outside !== undefined) return { ...detail, ...ofBrowser(entry, kept.outside.options), ...kept.outside };
  const { end } = kept;
  if (end === null || known === undefined) {
    const sent = options !== null && challenge !== undefined ? { challenge, ...options } : options;
    const why_no_fixture = whyNoEnd(entry, read);
    return { ...detail, ...ofBrowser(entry, sent), options: sent, response: null, explanation: null, fixture: null, why_no_fixture };
  }
  const shown = withheld === undefined ? end : withoutOpen(kept, withheld).end;
  const asked = shown?.ceremony ? readOptions(shown.ceremony) : null;
  return {
    ...detail,
    ...ofBrowser(entry, asked),
    options: asked,
    response: shown?.response ?? null,
    explanation: known.hasResponse ? await explainEnd(known, { sameTrust: end.trust === trustDigest(context.policy) }) : null,
    ...recordFixture(known, end.trust, context),
  };
}

/** Reads an entry that was kept, with its end; nothing where it is damaged. */
function readKept(read: unknown, policy: Policy): { readonly kept: Kept; readonly known: ReadEnd | undefined } {
  try {
    if (KEPT.fits(read)) return { kept: read, known: read.end === null ? undefined : readEnd(read.end, policy) };
  } catch (error) {
    if (!(error instanceof PasskeyError || error instanceof TypeError)) throw error;
  }
  return { kept: NOTHING_KEPT, known: undefined };
}

/** Explains the error that a page reported, as far as this server can tell: it did not see the page. */
function ofBrowser(
  { browser, software, kind, origins: [origin = ''] }: StreamEntry,
  options: StreamDetail['options'],
): { readonly browser_explanation: Explanation | null } {
  if (browser === null || browser.error === null) return { browser_explanation: null };
  const { error: name, message, milliseconds } = browser;
  const call = kind === 'registration' ? 'create' : 'get';
  const thrown = { name, message: message ?? '', call, mediation: undefined, milliseconds, options: options ?? {} } as const;
  const failed = failedCall(thrown, { ...UNSEEN, origin });
  const bySoftware = (software?.persona ?? null) !== null;
  return { browser_explanation: bySoftware ? explainSoftwareError(failed) : explainBrowserError(failed) };
}

function whyNoEnd({ kind, state }: StreamEntry, read: unknown): string | null {
  if (kind === 'request' || kind === 'change') return null;
  if (state === 'open' || state === 'expired') return 'it was not answered';
  if (state === 'elsewhere') return 'another process was answered';
  return read === undefined ? 'its details are not kept any more' : 'its details cannot be read';
}

function recordFixture(
  { event, hasResponse }: ReadEnd,
  trust: string,
  { policy, version }: DetailContext,
): Pick<StreamDetail, 'fixture' | 'why_no_fixture'> {
  const none = (why: string) => ({ fixture: null, why_no_fixture: why });
  if (!hasResponse) return none('its challenge is still good, or was when the server ended');
  if (trust !== trustDigest(policy)) return none('the attestation roots or the metadata of this server have changed since');
  const recorded = recordCeremony(event, { tool: 'passkey serve', version });
  if (recorded.status === 'skipped') return none(recorded.reason);
  return { fixture: { ...recorded.fixture, integrity: computeIntegrity(recorded.fixture) }, why_no_fixture: null };
}
