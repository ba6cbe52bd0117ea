import { explainBrowserError } from '../../explain/browser-errors/browser-errors.js';
import { failedCall, UNSEEN } from '../../explain/browser-errors/failed-call.js';
import { explainSoftwareError } from '../../explain/browser-errors/software-errors.js';
import type { Explanation } from '../../explain/error-texts/meaning.js';
import { recordCeremony } from '../../fixture/recorded-ceremony.js';
import { computeIntegrity } from '../../fixture/write.js';
import type { Ceremony } from '../../relying-party/ports.js';
import type { StreamDetail, StreamEntry } from '../schemas/stream.js';
import type { Finished } from './ended.js';
import { explainEnd } from './explanation.js';
import type { Kept, Withheld } from './kept.js';

/** An entry of the stream with its details. */
export interface FoundEntry {
  readonly entry: StreamEntry;
  readonly kept: Kept;
  /** The challenge of the entry's ceremony, if the ceremony ended without a response. */
  readonly challenge: string | undefined;
  readonly withheld: Withheld | undefined;
}

/** Writes the details of an entry. @param version the program version that fixtures state. */
export async function writeDetail({ entry, kept, challenge, withheld }: FoundEntry, version: string): Promise<StreamDetail> {
  const { method, path, title, change, options, end } = kept;
  const detail = { ...entry, method, path, title, change };
  if (kept.outside !== undefined) return { ...detail, ...ofBrowser(entry, kept.outside.options), ...kept.outside };
  if (end === null) {
    const sent = options !== null && challenge !== undefined ? { challenge, ...options } : options;
    const why_no_fixture = whyNoEnd(entry);
    return { ...detail, ...ofBrowser(entry, sent), options: sent, response: null, explanation: null, fixture: null, why_no_fixture };
  }
  const asked = end.ceremony === undefined ? null : readOptions(end.ceremony, withheld);
  return {
    ...detail,
    ...ofBrowser(entry, asked),
    options: asked,
    response: withheld?.response ? null : { ...end.event.response },
    explanation: await explainEnd(end),
    ...recordFixture(end, version),
  };
}

/** Returns the options as they were sent, but without the challenge if it is still valid. */
function readOptions({ options }: Ceremony, withheld: Withheld | undefined): Record<string, unknown> {
  const { challenge, ...shown } = options;
  return withheld?.options ? shown : { challenge, ...shown };
}

/** Explains the error that a page reported about its call. Facts about the page itself are left out. */
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

function whyNoEnd({ kind, state }: StreamEntry): string | null {
  if (kind === 'request' || kind === 'change') return null;
  return state === 'elsewhere' ? 'another process got the response' : 'there was no response';
}

function recordFixture({ event }: Finished, version: string): Pick<StreamDetail, 'fixture' | 'why_no_fixture'> {
  const recorded = recordCeremony(event, { tool: 'passkey serve', version });
  if (recorded.status === 'skipped') return { fixture: null, why_no_fixture: recorded.reason };
  return { fixture: { ...recorded.fixture, integrity: computeIntegrity(recorded.fixture) }, why_no_fixture: null };
}
