import { isObject, type JsonObject } from '../kernel/json-value.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import type { Software } from './run.js';

/**
 * Value of `answerWith` that selects this browser as the authenticator. Every other value selects the server's software authenticator, with
 * or without a persona.
 */
export const THIS_BROWSER = 'browser';
export const PLAIN = 'plain';

/** A row of `GET /dev/personas`: a kind of authenticator that the software authenticator imitates. */
export interface Persona {
  readonly id: string;
  /** Usual name of the authenticator that the persona imitates. */
  readonly title: string;
  /** Description in one line. */
  readonly description: string;
  /** Properties of the persona that often surprise relying parties. */
  readonly quirks: readonly string[];
  readonly attachment: string;
  /** True if the persona's passkeys are copied to other devices. */
  readonly synced: boolean;
  /** Attestation formats that the persona uses when the options request attestation; `none` if it never attests. */
  readonly attestation: readonly string[];
}

/** A row of `GET /dev/mutations`: a catalogue entry that changes one response to test the server. */
export interface MutationRow {
  readonly id: string;
  readonly ceremony: CeremonyKind;
  readonly title: string;
  /** Verdict that a correct relying party reaches on the changed response. */
  readonly expected: 'refused' | 'accepted';
  readonly code: string | null;
  /** Step of the standard that the mutation tests. */
  readonly tests: { readonly section: string; readonly number: number; readonly title: string } | null;
  readonly why: string | null;
  /** Conditions that the relying party must meet for `expected` to hold. */
  readonly requires: readonly string[];
  /** Reason why the mutation tests nothing at this server. */
  readonly unfit?: string;
  readonly signed_again: boolean;
  readonly in_browser: boolean;
  readonly asks: Asks;
}

/** Requirements of a mutation for the ceremony whose response it changes. */
interface Asks {
  /** Members that replace those of the ceremony's options. */
  readonly options: JsonObject;
  readonly login: 'named' | 'discoverable' | null;
  readonly endpoint: 'login' | 'verify';
  /** Persona whose passkey the mutation needs. */
  readonly persona: string | null;
  readonly algorithms: readonly number[] | null;
}

/** Data from the server, or the state of loading them. */
export type Fetched<Value> =
  | { readonly status: 'unasked' | 'loading' }
  | ({ readonly status: 'loaded' } & Value)
  | { readonly status: 'failed'; readonly why: string };
export type Listed<Row> = Fetched<{ readonly rows: readonly Row[] }>;

export const UNASKED = { status: 'unasked' } as const;

/** Reads the rows in a response of the server; undefined if the response has none. */
export function readRows<Row extends object>(answer: unknown, key: keyof Row & string): readonly Row[] | undefined {
  const isRow = (row: unknown): row is Row => isObject(row) && typeof row[key] === 'string';
  return Array.isArray(answer) && answer.every(isRow) ? answer : undefined;
}

interface PersonaGroup {
  readonly heading: string;
  readonly personas: readonly Persona[];
}

/** Groups the personas of one kind under a heading. */
export function groupPersonas(personas: readonly Persona[]): readonly PersonaGroup[] {
  const groups = [
    { heading: 'Synced passkeys', personas: personas.filter(({ synced }) => synced) },
    { heading: 'Bound to one device', personas: personas.filter(({ synced, attachment }) => !synced && attachment === 'platform') },
    { heading: 'Security keys', personas: personas.filter(({ synced, attachment }) => !synced && attachment !== 'platform') },
  ];
  return groups.filter((group) => group.personas.length > 0);
}

/** Describes how a persona attests; empty if it never does. */
export function attestationText({ attestation }: Persona): string {
  const formats = attestation.filter((format) => format !== 'none');
  return formats.length === 0 ? '' : `attests by \`${formats.join('` or `')}\``;
}

/** Tests whether an authenticator is a persona of the software authenticator. */
export function isPersona(answerer: string | undefined): boolean {
  return answerer !== undefined && answerer !== THIS_BROWSER && answerer !== PLAIN;
}

/** Describes the software authenticator that responded; undefined if the browser responded and the page only changed its response. */
export function softwareText({ persona, tamper }: Software, personas?: Listed<Persona>): string | undefined {
  if (persona === undefined && tamper !== undefined) return undefined;
  const plain = answererText(PLAIN);
  return persona === undefined || persona === PLAIN ? plain : `${plain} as ${answererText(persona, personas)}`;
}

/** Finds the display name of an authenticator. The title of a persona is known only after the server has sent the personas. */
export function answererText(answerWith: string, personas: Listed<Persona> = UNASKED): string {
  if (answerWith === THIS_BROWSER) return 'this browser';
  if (answerWith === PLAIN) return 'software authenticator';
  return (personas.status === 'loaded' && personas.rows.find(({ id }) => id === answerWith)?.title) || answerWith;
}
