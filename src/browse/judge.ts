import { PasskeyError } from '../errors.js';
import { harFindings, isStringifiedTwice } from '../explain/annotate/har.js';
import { plainBase64, WITH_COOKIES } from '../explain/annotate/har-entries.js';
import type { ReadCredential } from '../explain/annotate/read-credential.js';
import { writeDocuments } from '../explain/document.js';
import { type Expectations, readExpectations } from '../explain/expectations.js';
import { explainInput } from '../explain/explain.js';
import { lintCreationOptions, lintRequestOptions } from '../explain/lint/lint-options.js';
import { readRpId } from '../explain/requested-options.js';
import { encodeUtf8 } from '../kernel/bytes.js';
import { asObject, isObject, type JsonObject } from '../kernel/json-value.js';
import type { EndedCeremony, SiteCeremony } from './ceremony.js';
import { type Exchange, writeEntry } from './network.js';

/**
 * Makes a function that checks ceremonies by the data that the browser saw: the options, the page's origin, and earlier registrations.
 * Steps that need other data stay open.
 */
export function createJudge(now: () => number): (ceremony: SiteCeremony) => Promise<Pick<EndedCeremony, 'archive' | 'explanation'>> {
  /** Registrations by credential ID, except those that the site refused. */
  const registrations = new Map<unknown, SiteCeremony>();
  return async (ceremony) => {
    const { kind, response, options, offered, origin, topOrigin } = ceremony;
    const before = kind === 'authentication' ? registrations.get(response?.['id']) : undefined;
    const earlier = response === undefined ? [...registrations.values()].filter((one) => one.origin === origin) : (before ?? []);
    const recording = writeArchive([...[earlier].flat().map(accepted), ceremony]);
    // A response to another challenge is not paired with its options. The browser has let this origin use that RP ID.
    const { challenge } = options;
    const asked = { origin, ...(topOrigin !== undefined && { topOrigin }), ...(challenge !== undefined && { challenge }) };
    const settings = { ...readLegible(asked, now), rpId: readRpId(options) };
    const explain = (json: JsonObject) =>
      explainInput({ name: origin, bytes: encodeUtf8(JSON.stringify(json)) }, settings, now(), { withTree: false });
    const recorded = await explain(recording);
    // A call without a response, for which the recording shows no reason: its options are explained.
    const explained = response === undefined && recorded.unanswered.length === 0 ? await explain(options) : recorded;
    const document = writeDocuments(origin, explained).at(-1);
    if (document === undefined) throw new TypeError('An explanation has at least one document.');
    const isKept = kind === 'registration' && document.server?.verdict !== 'refused' && document.server?.verdict !== 'failed';
    if (isKept && response !== undefined) registrations.set(response['id'], ceremony);
    const lint = kind === 'registration' ? lintCreationOptions : lintRequestOptions;
    return {
      archive: response === undefined ? undefined : recording,
      explanation: { ...document, advice: lint(offered ?? options, origin) },
    };
  };
}

/**
 * Reads the expectations that have a valid value. If the page's options lack the challenge, for example, the step that compares the
 * challenge stays open.
 */
function readLegible(asked: Readonly<Record<string, unknown>>, now: () => number): Expectations {
  const legible = Object.entries(asked).filter(([member, value]) => {
    try {
      readExpectations({ [member]: value }, now);
      return true;
    } catch (error) {
      if (error instanceof PasskeyError) return false;
      throw error;
    }
  });
  return readExpectations(Object.fromEntries(legible), now);
}

/**
 * Marks a registration as accepted by its site. A site may reply with a redirect, which does not tell whether it accepted. A later login is
 * still checked against the registration.
 */
function accepted(registration: SiteCeremony): SiteCeremony {
  return { ...registration, exchange: registration.exchange && { ...registration.exchange, status: 200, received: undefined } };
}

/** Whether a request carried the page's credential in a broken form: stringified twice, or without its bytes. */
function isSentWrongly(exchange: Exchange, response: JsonObject): boolean {
  const { sent = '' } = exchange;
  return isStringifiedTwice(sent) || (!carries(sent, response) && findCredential(exchange) !== undefined);
}

/** Finds the credential in a request, even if the credential lacks members. */
export function findCredential(exchange: Exchange): ReadCredential | undefined {
  const found = harFindings({ log: { entries: [writeEntry({ ...exchange, received: undefined })] } }).map((one) => one.found);
  return found.map((one) => ('credential' in one ? one.credential : undefined)).find((credential) => credential !== undefined);
}

/** Checks whether a request body contains the bytes of a response. The body may be JSON or a form, in either base64 alphabet. */
export function carries(body: string, response: JsonObject | undefined): boolean {
  const text = plainText(body);
  const { clientDataJSON, attestationObject, signature } = asObject(response?.['response']);
  const parts = [clientDataJSON, attestationObject ?? signature].filter((part) => typeof part === 'string');
  return isObject(response) && parts.every((part) => text.includes(plainBase64(part)));
}

/** Undoes the escapes in base64 text: JSON may escape `/`, and forms escape `+` and `/`. */
function plainText(body: string): string {
  return plainBase64(body.replaceAll('\\/', '/').replaceAll(/%2[bf]/gi, (escaped) => decodeURIComponent(escaped)));
}

/** Writes an HTTP archive that contains the options and the response of each ceremony. `passkey explain` can read it. */
function writeArchive(ceremonies: readonly SiteCeremony[]): JsonObject {
  const entries = ceremonies.flatMap(({ at, asked, origin, options, response, exchange }) => {
    const base = { method: 'POST', url: exchange?.url ?? origin, origin };
    const begun = { ...base, at: asked?.at ?? at, sent: undefined, status: 200, received: JSON.stringify(options) };
    const { sendsCookie, setsCookie } = asked ?? {};
    return [
      writeEntry({ ...begun, ...(sendsCookie !== undefined && { sendsCookie }), ...(setsCookie !== undefined && { setsCookie }) }),
      ...(response === undefined
        ? []
        : [
            writeEntry({
              ...base,
              ...exchange,
              at: exchange?.at ?? at,
              status: exchange?.status ?? 0,
              received: exchange?.received,
              origin,
              sent: exchange !== undefined && isSentWrongly(exchange, response) ? exchange.sent : JSON.stringify(response),
            }),
          ]),
    ];
  });
  return { log: { creator: { name: WITH_COOKIES }, entries } };
}
