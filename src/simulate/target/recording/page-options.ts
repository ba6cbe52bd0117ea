import { createHash } from 'node:crypto';
import { type HarEntry, plainBase64 } from '../../../explain/annotate/har-entries.js';
import { equalBytes } from '../../../kernel/bytes.js';
import { asObject, type JsonObject } from '../../../kernel/json-value.js';
import { decodeBase64url, encodeBase64url } from '../../../webauthn/base64url.js';
import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { buildCreation, buildRequest, type PageOptions } from '../page-options.js';
import type { ProfileRequest } from '../profile-schema.js';
import type { RecordedCeremony } from './ceremonies.js';
import type { RecordedExchange } from './exchanges.js';
import type { Known } from './generalise.js';
import type { RecordedOptions } from './options.js';
import { type Found, listValues } from './sources.js';

/** A challenge in an answer that is no options. */
export interface RecordedChallenge {
  /** Index of the exchange. */
  readonly index: number;
  readonly found: Found;
  /** Makes base64url of it, as options have it. */
  readonly filter: string;
}

/** The last answer before `before` that has the challenge as one value: as any base64 of it, or as the text whose bytes it is. */
export function findChallenge(exchanges: readonly RecordedExchange[], challenge: string, before: number): RecordedChallenge | undefined {
  for (let index = before - 1; index >= 0; index -= 1) {
    const exchange = exchanges[index];
    for (const found of exchange === undefined ? [] : listValues(exchange)) {
      const filter = filterFor(found.value, challenge);
      if (filter !== undefined) return { index, found, filter };
    }
  }
  return undefined;
}

/** The filter that makes base64url bytes of a value: empty where it is them. */
function filterFor(value: string, bytes: string): string | undefined {
  if (value === bytes) return '';
  if (plainBase64(value) === bytes) return ' | base64url';
  return toBytes(value) === bytes ? ' | bytes' : undefined;
}

const toBytes = (text: string): string => encodeBase64url(new TextEncoder().encode(text));

/** A ceremony whose options the page may have built itself. */
interface BuiltCeremony extends RecordedCeremony {
  readonly options: RecordedOptions;
  /** Undefined: the answer has the options. */
  readonly challenge: RecordedChallenge | undefined;
}

/** Facts about the page of a recording. */
interface RecordedPage {
  readonly known: Known;
  /** User handle of the passkey, base64url; undefined: not recorded. */
  readonly handle: string | undefined;
  readonly literals: PageLiterals;
  /** Whether the server was told who logs in. */
  readonly isNamed: boolean;
}

/**
 * Writes the step that builds options as the page did: from what it was sent, from its scripts, and from the response that it got. Empty
 * where the server sends the options.
 */
export function buildOptions(ceremony: BuiltCeremony, page: RecordedPage): readonly ProfileRequest[] {
  const { challenge, options } = ceremony;
  if (challenge === undefined) return [];
  const { known } = page;
  const { index, found, filter } = challenge;
  const members = MEMBERS[ceremony.kind];
  const isAlone = !Object.keys(options.json).some((name) => members.includes(name));
  const around = isAlone ? undefined : known.expressionFor({ index, found: { value: '', source: options.source, name: 'sent' } });
  const sent = around === undefined ? undefined : { json: options.json, expression: around };
  const common = {
    challenge: `{${known.expressionFor({ index, found })}${filter}}`,
    rpId: readRpId(ceremony),
    more: pickSent(sent, members),
  };
  return [
    ceremony.kind === 'registration' ? writeCreation(ceremony, { ...page, ...common, sent }) : writeRequest({ ...page, ...common, sent }),
  ];
}

/** An object of an answer, and the expression that stands for it. */
type Sent = { readonly json: JsonObject; readonly expression: string } | undefined;
type Built = RecordedPage & Pick<PageOptions, 'challenge' | 'rpId' | 'more'> & { readonly sent: Sent };

function writeCreation({ made, index }: BuiltCeremony, page: Built): ProfileRequest {
  const { algorithms, userVerification, residentKey = page.isNamed ? undefined : 'required', attestation } = page.literals;
  const selection = { ...(residentKey && { residentKey }), ...(userVerification && { userVerification }) };
  const isAttested = made !== undefined && made.format !== 'none';
  return buildCreation({
    ...page,
    user: writeUser(page, index),
    algorithms: algorithms.length === 0 && made !== undefined ? [made.algorithm] : algorithms,
    authenticatorSelection: Object.keys(selection).length > 0 ? selection : undefined,
    attestation: attestation ?? (isAttested ? 'direct' : undefined),
  });
}

function writeUser({ known, handle, sent }: Built, before: number): JsonObject {
  const { id, name, displayName } = asObject(sent?.json['user']);
  const member = (path: string) => `{${sent?.expression}.user.${path}}`;
  const isText = handle !== undefined && toBytes(String(id)) === handle;
  return {
    id: typeof id === 'string' ? member(isText ? 'id | bytes' : 'id') : writeHandle(known, handle, before),
    name: typeof name === 'string' ? member('name') : '{user.name}',
    displayName: typeof displayName === 'string' ? member('displayName') : '{user.displayName}',
  };
}

/** The user handle: bytes of what the user is called, a value of an answer, else one that the page makes up. */
function writeHandle({ user, provenance, expressionFor }: Known, handle: string | undefined, before: number): string {
  const name = [...user].find(([text, expression]) => expression !== 'user.handle' && toBytes(text) === handle)?.[1] ?? 'user.name';
  if (handle === undefined) return `{${name} | bytes}`;
  const text = new TextDecoder().decode(decodeBase64url(handle));
  const [asBytes, asText] = [provenance.findProvider(handle, 'id', before), provenance.findProvider(text, 'id', before)];
  if (asBytes !== undefined) return `{${expressionFor(asBytes)}}`;
  return asText === undefined ? `{${name} | bytes}` : `{${expressionFor(asText)} | bytes}`;
}

function writeRequest({ literals, isNamed, sent, ...page }: Built): ProfileRequest {
  const isGiven = Array.isArray(sent?.json['allowCredentials']);
  return buildRequest({
    ...page,
    userVerification: literals.userVerification,
    allowCredentials: isNamed && !isGiven ? [{ type: 'public-key', id: '{registered.credentialId}' }] : undefined,
  });
}

/** Members of options that a server may send beside the challenge; `user` is written member by member. */
const MEMBERS: Readonly<Record<CeremonyKind, readonly string[]>> = {
  registration: ['rp', 'user', 'timeout', 'pubKeyCredParams', 'excludeCredentials', 'authenticatorSelection', 'attestation', 'extensions'],
  authentication: ['rpId', 'timeout', 'allowCredentials', 'userVerification', 'extensions'],
};

function pickSent(sent: Sent, members: readonly string[]): JsonObject {
  const present = members.filter((name) => name !== 'user' && sent !== undefined && (sent.json[name] ?? null) !== null);
  return Object.fromEntries(present.map((name) => [name, { $: `${sent?.expression}.${name}` }]));
}

/** The RP ID by its hash, where it is not the host of the page: one of the domains above it. */
function readRpId({ clientData, rpIdHash }: RecordedCeremony): string | undefined {
  const labels = new URL(clientData.origin).hostname.split('.');
  const domains = labels.map((_, index) => labels.slice(index).join('.'));
  const at = domains.findIndex((domain) => rpIdHash !== undefined && equalBytes(createHash('sha256').update(domain).digest(), rpIdHash));
  return at > 0 ? domains[at] : undefined;
}

/** Members of options that the scripts of a page write out. */
export interface PageLiterals {
  readonly algorithms: readonly number[];
  readonly userVerification: string | undefined;
  readonly residentKey: string | undefined;
  readonly attestation: string | undefined;
}

/** Reads the members of options that the scripts and pages of a recording spell out. A member with several values counts as unknown. */
export function readLiterals(entries: readonly HarEntry[]): PageLiterals {
  const scripts = entries.flatMap(({ response: { body = '' } }) => (/navigator\.credentials|pubKeyCredParams/.test(body) ? [body] : []));
  const find = (pattern: RegExp) => [...new Set(scripts.flatMap((script) => [...script.matchAll(pattern)].map(([, value = '']) => value)))];
  const only = (member: string) => {
    const [value, ...others] = find(new RegExp(`\\b${member}["']?\\s*:\\s*["']([a-z]+)["']`, 'g'));
    return others.length === 0 ? value : undefined;
  };
  return {
    algorithms: find(/\balg["']?\s*:\s*(-\d+)/g).map(Number),
    userVerification: only('userVerification'),
    residentKey: only('residentKey'),
    attestation: only('attestation'),
  };
}
