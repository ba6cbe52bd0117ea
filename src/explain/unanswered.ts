import { encodeUtf8, equalBytes } from '../kernel/bytes.js';
import { isObject, type JsonObject } from '../kernel/json-value.js';
import { whyNoRpId } from '../relying-party/diagnosis/rp-id.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { HarFinding } from './annotate/har.js';
import { findHeader, type HarEntry, harEntries, plainBase64 } from './annotate/har-entries.js';
import type { KnownError } from './document-schema.js';
import { readAnswered } from './recorded-session.js';
import { decodeText, readRpId } from './requested-options.js';

/** A call of `navigator.credentials` whose options are in an HTTP archive without a credential in response. */
export interface UnansweredCall {
  readonly name: string;
  readonly kind: CeremonyKind;
  readonly options: JsonObject;
  /** One sentence that gives the most serious reason. */
  readonly headline: string;
  /** Reasons that the recording shows, the most serious first. */
  readonly reasons: readonly KnownError[];
}

const OPTIONS = { 'creation-options': 'registration', 'request-options': 'authentication' } as const;

/**
 * Finds the calls in an HTTP archive that produced no credential. For each kind of ceremony and each server, looks only at the newest
 * options, and ignores them if a credential of that kind was sent later or the user left the page. Options with an empty list of
 * credentials may be for autofill, so they count only if the archive shows a reason for the failure.
 */
export function findUnanswered(har: JsonObject, findings: readonly HarFinding[]): UnansweredCall[] {
  const entries = harEntries(har);
  const answered = new Set(findings.map(readAnswered));
  const newest = new Map<string, HarFinding>();
  for (const finding of findings) {
    const { kind } = finding.found;
    if (kind === 'creation-options' || kind === 'request-options') newest.set(`${OPTIONS[kind]} ${readHost(finding.url)}`, finding);
  }
  return [...newest.values()].flatMap((finding) => {
    const { found, url } = finding;
    if (found.kind !== 'creation-options' && found.kind !== 'request-options') return [];
    const asked = entries.find(({ index }) => index === finding.entry);
    const later = entries.filter(({ index }) => asked !== undefined && index > asked.index);
    const { challenge } = found.json;
    const isPaired = typeof challenge === 'string' && answered.has(plainBase64(challenge));
    if (asked === undefined || isPaired || isAnswered(finding, later)) return [];
    const kind = OPTIONS[found.kind];
    const options = found.json;
    const earlier = findings.filter((other) => (other.entry ?? 0) < asked.index);
    const reasons = findReasons({ kind, options, asked, entries, earlier, isStringifiedTwice: finding.isStringifiedTwice === true });
    if (reasons.length === 0 && kind === 'authentication' && readListed(options, 'allowCredentials').length === 0) return [];
    const headline = `No answer from the browser: ${reasons[0]?.title ?? NO_REASON}`;
    return [
      {
        name: `${kind}, ${url}`,
        kind,
        options,
        headline,
        reasons: reasons.length > 0 ? reasons : [explain(NO_REASON, NO_REASON_CAUSE, NO_REASON_NEXT)],
      },
    ];
  });
}

const NO_REASON = 'the recording shows no reason';
const NO_REASON_CAUSE = 'The user may have cancelled, the time may have run out, or the page failed before it sent the response.';
const NO_REASON_NEXT = 'Look at the exception of navigator.credentials in the console, and explain its text.';

function explain(title: string, cause: string, next: string): KnownError {
  return { from: 'recording', title, causes: [cause], next, step: null, expectations: [], source: null };
}

/** Matches the names of members that only credentials have, whatever the encoding of the body. */
const RESPONSE = /clientDataJSON|attestationObject|authenticatorData|client_data|attestation_object/;

/** Tells whether a later request contains a credential or was recorded without its body, or whether the user opened another page. */
function isAnswered(finding: HarFinding, later: readonly HarEntry[]): boolean {
  const host = readHost(finding.url);
  return later.some(({ method, url, request, response }) => {
    const isDocument = method === 'GET' && (findHeader(request, 'sec-fetch-dest') === 'document' || isPage(response));
    const texts = [request.body ?? '', ...request.params.flat()];
    return (
      isDocument || texts.some((text) => RESPONSE.test(text)) || (request.isBodyMissing && method === 'POST' && readHost(url) === host)
    );
  });
}

const isPage = (message: HarEntry['response']): boolean => /^text\/html/i.test(findHeader(message, 'content-type') ?? '');

function readHost(url: string): string {
  return parseUrl(url)?.host ?? url;
}

interface Call {
  readonly kind: CeremonyKind;
  readonly options: JsonObject;
  readonly asked: HarEntry;
  readonly entries: readonly HarEntry[];
  readonly earlier: readonly HarFinding[];
  readonly isStringifiedTwice: boolean;
}

function findReasons(call: Call): KnownError[] {
  return [
    ...explainNesting(call),
    ...explainFrame(call),
    ...explainRpId(call),
    ...explainIds(call),
    ...explainResidentKey(call),
    ...explainTransports(call),
  ];
}

function* explainNesting({ isStringifiedTwice, asked: { url } }: Call): Generator<KnownError> {
  if (!isStringifiedTwice) return;
  yield explain(
    'the options are JSON inside JSON',
    `The response of ${url} is JSON in a string: the page parses it to a string, which has no challenge.`,
    'Call JSON.stringify once: pass the object itself to the function that sends it.',
  );
}

/**
 * Finds the origin of the page that made the call: the `Origin` header of the request for the options, otherwise the origin in its
 * `Referer`.
 */
function readPageOrigin({ request, url }: HarEntry): string | undefined {
  const origin = findHeader(request, 'origin');
  return origin === undefined || origin === 'null' ? parseUrl(findHeader(request, 'referer') ?? url)?.origin : origin;
}

function* explainFrame({ kind, asked, entries }: Call): Generator<KnownError> {
  const page = readPageOrigin(asked);
  const feature = kind === 'registration' ? 'publickey-credentials-create' : 'publickey-credentials-get';
  const documents = entries.filter(({ index, response, request }) => index < asked.index && (isPage(response) || isFrame(request)));
  const own = documents.findLast(({ url }) => parseUrl(url)?.origin === page);
  if (own === undefined) return;
  const policy = findHeader(own.response, 'permissions-policy') ?? '';
  if (new RegExp(`${feature}=\\(\\)`).test(policy)) {
    const cause = `The page at ${own.url} has the header Permissions-Policy with ${feature}=().`;
    yield explain(
      'the page forbids the call by its Permissions-Policy',
      cause,
      `Remove ${feature}=() from the header, or list the origins that may call.`,
    );
  } else if (isFrame(own.request)) {
    const outer = documents.findLast(({ url, response }) => parseUrl(url)?.origin !== page && /<iframe\b/i.test(response.body ?? ''));
    const tags = (outer?.response.body ?? '').match(/<iframe\b[^>]*>/gi) ?? [];
    const isSameOrigin = findHeader(own.request, 'sec-fetch-site') === 'same-origin';
    if (isSameOrigin || tags.some((tag) => tag.includes(feature))) return;
    const cause = `${own.url} was loaded into an iframe of another origin${outer === undefined ? '' : `, and the page at ${outer.url} gives it no permission`}.`;
    yield explain(
      'the page was in a frame without permission',
      cause,
      `Write <iframe allow="${feature}">, and have the outer page allow it.`,
    );
  }
}

const isFrame = (message: HarEntry['request']): boolean => findHeader(message, 'sec-fetch-dest') === 'iframe';

/**
 * Explains why a browser refuses the RP ID in options on a page; undefined if the browser accepts it. Assumes that the page is not a
 * related origin of the RP ID.
 */
export function whyRpIdRefused(options: JsonObject, page: string | undefined): string | undefined {
  const rpId = readRpId(options);
  return rpId === undefined || page === undefined ? undefined : whyNoRpId(rpId, page);
}

function* explainRpId({ options, asked }: Call): Generator<KnownError> {
  const rpId = readRpId(options);
  const page = readPageOrigin(asked);
  const why = whyRpIdRefused(options, page);
  if (why === undefined) return;
  const host = parseUrl(page ?? '')?.hostname ?? page;
  const next = `Set the RP ID to ${host} or a parent of it that is not a public suffix, or open the page on ${rpId}.`;
  yield explain(`the RP ID ${rpId} is neither the host of the page (${host}) nor a parent of it`, why, next);
}

function readListed(options: JsonObject, member: 'allowCredentials' | 'excludeCredentials'): JsonObject[] {
  const listed = options[member];
  return Array.isArray(listed) ? listed.filter(isObject) : [];
}

/** Finds the registrations that an archive contains before a call, except those that the server refused. */
function findRegistrations(earlier: readonly HarFinding[]): JsonObject[] {
  return earlier.flatMap(({ found, answer }) => (found.kind === 'registration' && answer?.verdict !== 'refused' ? [found.json] : []));
}

const sameId = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' && plainBase64(one) === plainBase64(other);

function* explainIds({ kind, options, earlier }: Call): Generator<KnownError> {
  const registered = findRegistrations(earlier).map(({ id }) => id);
  if (kind === 'registration') {
    const hit = readListed(options, 'excludeCredentials').find(({ id }) => registered.some((one) => sameId(one, id)));
    if (hit === undefined) return;
    const cause = `excludeCredentials names ${String(hit['id'])}, which was registered in this recording.`;
    yield explain(
      'this authenticator already has a passkey of excludeCredentials',
      cause,
      'Tell the user that this device has a passkey (InvalidStateError), or use another authenticator.',
    );
    return;
  }
  const allowed = readListed(options, 'allowCredentials');
  const used = earlier.flatMap(({ found, answer }) =>
    found.kind === 'authentication' && answer?.verdict === 'accepted' ? [found.json['id']] : [],
  );
  if (allowed.length === 0 || allowed.some(({ id }) => [...registered, ...used].some((one) => sameId(one, id)))) return;
  const ids = [...new Set(registered)].map(String);
  const twice = allowed.find(({ id }) => ids.some((one) => isEncodedTwice(id, one)));
  const cause =
    twice !== undefined
      ? `allowCredentials names ${String(twice['id'])}, which is a registered ID encoded twice.`
      : `allowCredentials names ${allowed.map(({ id }) => String(id)).join(', ')}; ${ids.length === 0 ? 'this recording does not contain its registration' : `registered here: ${ids.join(', ')}`}.`;
  const next =
    twice !== undefined
      ? 'Send the ID unchanged: it already is base64url.'
      : 'Send the IDs of the user who logs in, or an empty list, so that the browser offers the passkeys that it has.';
  yield explain(`none of the ${allowed.length} allowed IDs is registered here`, cause, next);
}

function isEncodedTwice(listed: unknown, registered: string): boolean {
  const bytes = decodeText(listed);
  return bytes !== undefined && equalBytes(bytes, encodeUtf8(registered));
}

function* explainResidentKey({ kind, options, earlier }: Call): Generator<KnownError> {
  if (kind === 'registration' || readListed(options, 'allowCredentials').length > 0) return;
  const selections = earlier.flatMap(({ found }) =>
    found.kind === 'creation-options' && isObject(found.json['authenticatorSelection']) ? [found.json['authenticatorSelection']] : [],
  );
  const isDiscouraged = selections.length > 0 && selections.every(({ residentKey }) => residentKey === 'discouraged');
  const results = findRegistrations(earlier).map(({ clientExtensionResults }) =>
    isObject(clientExtensionResults) ? clientExtensionResults['credProps'] : undefined,
  );
  const isServerSide = results.length > 0 && results.every((result) => isObject(result) && result['rk'] === false);
  if (!isDiscouraged && !isServerSide) return;
  const cause = isServerSide
    ? 'The registration says so (credProps.rk is false).'
    : 'The registration asked for residentKey "discouraged".';
  yield explain(
    'allowCredentials is empty and the passkey is not discoverable',
    cause,
    'Register with residentKey "required", or name the IDs of the user in allowCredentials.',
  );
}

function* explainTransports({ kind, options, earlier }: Call): Generator<KnownError> {
  if (kind === 'registration') return;
  for (const { id, transports } of readListed(options, 'allowCredentials')) {
    const response = findRegistrations(earlier).find((one) => sameId(one['id'], id))?.['response'];
    const own = isObject(response) ? response['transports'] : undefined;
    if (!Array.isArray(transports) || !Array.isArray(own) || transports.length === 0 || own.length === 0) continue;
    if (own.some((one: unknown) => transports.includes(one))) continue;
    const cause = `allowCredentials names ${transports.join(', ')} for ${String(id)}; its registration had ${own.join(', ')}.`;
    yield explain(
      'the allowed ID has transports that its passkey does not have',
      cause,
      'Store the transports of the registration, and send those.',
    );
  }
}
