import type { JsonObject } from '../webauthn/json-value.js';
import { isObject } from '../webauthn/json-value.js';
import { numberAt, stringAt } from './json.js';

/** One entry of `GET /dev/events` as the page shows it. */
export interface TimelineEntry {
  readonly id: string;
  /** RFC 3339, as the API writes times. */
  readonly at: string;
  readonly outcome: 'verified' | 'rejected' | 'changed';
  /** What happened, in one sentence. */
  readonly sentence: string;
  /** `TYPE:ID` of the passkey's user. */
  readonly owner: string | undefined;
  /** This tab caused it. */
  readonly own: boolean;
  /** Endpoint or command. */
  readonly via: string | undefined;
  readonly userAgent: string | undefined;
  /** `code` and `step` of a refusal. */
  readonly problem: JsonObject | undefined;
}

/** Events that change a passkey, with what happened to it. */
export const CHANGES: Readonly<Record<string, string>> = {
  'passkey-renamed': 'renamed',
  'passkey-revoked': 'revoked',
  'passkey-restored': 'restored',
};

/**
 * Reads the data of one server-sent event. Undefined for what the page does not show: a ceremony that has only begun, and data it
 * cannot read. `isOwn` recognises the request ids of this tab.
 */
export function timelineEntry(id: string, data: string, isOwn: (requestId: string) => boolean): TimelineEntry | undefined {
  const event = parse(data);
  const type = stringAt(event, 'type') ?? '';
  const change = CHANGES[type];
  if (event === undefined || (change === undefined && type !== 'ceremony-finished')) {
    return undefined;
  }
  const owner = stringAt(event, 'owner');
  const common = {
    id,
    at: stringAt(event, 'at') ?? '',
    owner,
    own: isOwn(stringAt(event, 'context', 'request_id') ?? ''),
    via: stringAt(event, 'context', 'via'),
    userAgent: stringAt(event, 'context', 'user_agent'),
  };
  const passkey = passkeyName(event);
  const of = owner === undefined ? '' : ` of ${owner}`;
  if (change !== undefined) {
    return { ...common, outcome: 'changed', sentence: `${passkey ?? 'A passkey'}${of} was ${change}.`, problem: undefined };
  }
  const kind = stringAt(event, 'kind') === 'registration' ? 'Registration' : 'Authentication';
  const rejected = stringAt(event, 'outcome') !== 'verified';
  const subject = `${kind}${passkey === undefined ? '' : ` with ${passkey}`}${of}`;
  // The rest is shown in the table of the step.
  const reason = stringAt(event, isObject(event['step']) ? 'code' : 'message') ?? 'refused';
  return rejected
    ? { ...common, outcome: 'rejected', sentence: `${subject}: ${reason}`, problem: event }
    : { ...common, outcome: 'verified', sentence: `${subject}.`, problem: undefined };
}

function passkeyName(event: JsonObject): string | undefined {
  const id = numberAt(event, 'passkey', 'id');
  return id === undefined ? undefined : `“${stringAt(event, 'passkey', 'label') ?? ''}” (passkey ${id})`;
}

function parse(data: string): JsonObject | undefined {
  try {
    const event: unknown = JSON.parse(data);
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
