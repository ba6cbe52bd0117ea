import { asObject } from '../../kernel/json-value.js';
import { writeCborBody } from '../http/cbor-body.js';
import { toText } from './path.js';

/** Members of a profile request that define its body; a request has at most one of them. */
export const BODY_KINDS = ['json', 'form', 'multipart', 'cbor', 'text'] as const;

export type BodyKind = (typeof BODY_KINDS)[number];

interface Body {
  readonly content: string | Uint8Array;
  /** The body in the form in which a report shows it. */
  readonly shown: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Encodes a value as the body of a request. Undefined if the value is undefined. */
export async function encodeBody(kind: BodyKind, value: unknown): Promise<Body | undefined> {
  if (value === undefined) return undefined;
  switch (kind) {
    case 'json':
      return asText(JSON.stringify(value), 'application/json');
    case 'form':
      return asText(new URLSearchParams(listFields(value)).toString(), 'application/x-www-form-urlencoded');
    case 'text':
      return asText(toText(value) ?? '', 'text/plain;charset=UTF-8');
    case 'cbor': {
      const shown = JSON.stringify(value, (_, member: unknown) => (member instanceof Uint8Array ? [...member] : member));
      return { content: writeCborBody(value), shown, headers: { 'content-type': 'application/cbor' } };
    }
    case 'multipart':
      return encodeMultipart(listFields(value));
  }
}

function asText(text: string, type: string): Body {
  return { content: text, shown: text, headers: { 'content-type': type } };
}

/** Lists the fields of a form. A list becomes several fields with the same name; a value that is not a string becomes JSON. */
function listFields(value: unknown): [name: string, value: string][] {
  return Object.entries(asObject(value)).flatMap(([name, field]) =>
    (Array.isArray(field) ? field : [field]).map((one: unknown): [string, string] => [name, toText(one) ?? '']),
  );
}

async function encodeMultipart(fields: readonly (readonly [string, string])[]): Promise<Body> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const encoded = new Response(form);
  const content = await encoded.text();
  return { content, shown: content, headers: { 'content-type': encoded.headers.get('content-type') ?? '' } };
}
