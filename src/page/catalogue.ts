import { isObject, type JsonObject } from '../kernel/json-value.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import type { Software } from './run.js';

/** `answerWith` of this browser. Every other value means the server's software authenticator, with or without a persona. */
export const THIS_BROWSER = 'browser';
export const PLAIN = 'plain';

/** A row of `GET /dev/personas`: a kind of authenticator that the software one imitates. */
export interface Persona {
  readonly id: string;
  /** Its usual name. */
  readonly title: string;
  /** One line. */
  readonly description: string;
  /** Properties that relying parties trip over. */
  readonly quirks: readonly string[];
  readonly attachment: string;
  /** Whether its passkeys are copied to other devices. */
  readonly synced: boolean;
  /** Attestation formats if attestation is requested; `none` if it never attests. */
  readonly attestation: readonly string[];
}

/** A row of `GET /dev/mutations`: a case of the catalogue that is one response changed. */
export interface MutationRow {
  readonly id: string;
  readonly ceremony: CeremonyKind;
  readonly title: string;
  /** Verdict of a correct relying party. */
  readonly expected: 'refused' | 'accepted';
  readonly code: string | null;
  /** Step of the standard that it tests. */
  readonly tests: { readonly section: string; readonly number: number; readonly title: string } | null;
  readonly why: string | null;
  /** Conditions on the relying party for `expected` to hold. */
  readonly requires: readonly string[];
  /** Says why it shows nothing at this server. */
  readonly unfit?: string;
  readonly signed_again: boolean;
  readonly in_browser: boolean;
  readonly asks: Asks;
}

/** Properties of the ceremonies that a mutation fits. */
interface Asks {
  /** Members that overwrite those of the options. */
  readonly options: JsonObject;
  readonly login: 'named' | 'discoverable' | null;
  readonly endpoint: 'login' | 'verify';
  /** Persona of a passkey that fits. */
  readonly persona: string | null;
  readonly algorithms: readonly number[] | null;
}

/** An answer of the server, or its state of loading. */
export type Fetched<Value> =
  | { readonly status: 'unasked' | 'loading' }
  | ({ readonly status: 'loaded' } & Value)
  | { readonly status: 'failed'; readonly why: string };
export type Listed<Row> = Fetched<{ readonly rows: readonly Row[] }>;

export const UNASKED = { status: 'unasked' } as const;

/** The rows in an answer of the server; undefined when there are none. */
export function readRows<Row extends object>(answer: unknown, key: keyof Row & string): readonly Row[] | undefined {
  const isRow = (row: unknown): row is Row => isObject(row) && typeof row[key] === 'string';
  return Array.isArray(answer) && answer.every(isRow) ? answer : undefined;
}

interface PersonaGroup {
  readonly heading: string;
  readonly personas: readonly Persona[];
}

/** The personas under headings, those of one kind together. */
export function groupPersonas(personas: readonly Persona[]): readonly PersonaGroup[] {
  const groups = [
    { heading: 'Synced passkeys', personas: personas.filter(({ synced }) => synced) },
    { heading: 'Bound to one device', personas: personas.filter(({ synced, attachment }) => !synced && attachment === 'platform') },
    { heading: 'Security keys', personas: personas.filter(({ synced, attachment }) => !synced && attachment !== 'platform') },
  ];
  return groups.filter((group) => group.personas.length > 0);
}

/** How it attests, in words; empty if it never does. */
export function attestationText({ attestation }: Persona): string {
  const formats = attestation.filter((format) => format !== 'none');
  return formats.length === 0 ? '' : `attests by \`${formats.join('` or `')}\``;
}

/** Whether an answerer is a persona of the software authenticator. */
export function isPersona(answerer: string | undefined): boolean {
  return answerer !== undefined && answerer !== THIS_BROWSER && answerer !== PLAIN;
}

/** The software authenticator that answered, in words; undefined if we only changed the response. */
export function softwareText({ persona, tamper }: Software, personas?: Listed<Persona>): string | undefined {
  if (persona === undefined && tamper !== undefined) return undefined;
  const plain = answererText(PLAIN);
  return persona === undefined || persona === PLAIN ? plain : `${plain} as ${answererText(persona, personas)}`;
}

/** Name of an answerer for people: the title of a persona, once the server has sent it. */
export function answererText(answerWith: string, personas: Listed<Persona> = UNASKED): string {
  if (answerWith === THIS_BROWSER) return 'this browser';
  if (answerWith === PLAIN) return 'software authenticator';
  return (personas.status === 'loaded' && personas.rows.find(({ id }) => id === answerWith)?.title) || answerWith;
}
