import type { StreamDetail } from '../../../server/schemas/stream.js';
import { isLoopbackHost } from '../../../webauthn/loopback.js';
import { type Listed, type Persona, softwareText } from '../../catalogue.js';
import type { Item } from '../../items.js';
import { stringAt } from '../../json.js';
import { findProblem } from '../../run.js';
import { formatDuration, formatTime } from '../time.js';

interface Fact {
  readonly name: string;
  readonly value: string;
  /** True if the value is data rather than words, and therefore set in a monospaced font. */
  readonly mono?: boolean;
  /** True if this page wrote the value, so that marks of the reader's language stay as they are. */
  readonly own?: boolean;
  readonly tone?: 'accent' | 'warn';
}

/** Lists the known facts about an item: its time, source, and users. */
export function listFacts(item: Item, detail: StreamDetail | undefined, personas?: Listed<Persona>): Fact[] {
  const { run, entry, software } = item;
  const ended = entry?.finished_at ?? undefined;
  const legs = run?.legs ?? [];
  const took = run === undefined ? (ended === undefined ? undefined : Date.parse(ended) - item.at) : sum(legs);
  const by = software && softwareText(software, personas);
  const { method = null, path = null } = run === undefined ? (detail ?? {}) : {};
  const refused = item.verdict === 'rejected' || item.verdict === 'refused';
  const requestId = refused
    ? (entry?.request_ids.at(-1) ?? stringAt(run === undefined ? undefined : findProblem(run), 'request_id'))
    : undefined;
  const address = item.mine ? null : (entry?.address ?? null);
  const far = address !== null && !isLoopbackHost(address.includes(':') ? `[${address}]` : address);
  const facts: (Fact | undefined)[] = [
    { name: 'Time', value: formatTime(new Date(item.at).toISOString(), 'medium'), mono: true, own: true },
    took === undefined || took <= 0 || item.verdict === 'waiting' ? undefined : { name: 'Took', value: formatDuration(took), mono: true },
    item.user === undefined ? undefined : { name: 'User', value: item.user },
    item.passkey === undefined ? undefined : { name: 'Passkey', value: item.passkey },
    { name: 'From', value: item.source },
    by === undefined ? undefined : { name: 'Answered by', value: by, tone: 'accent' },
    software?.tamper === undefined ? undefined : { name: 'Broken on purpose', value: software.tamper, mono: true, tone: 'warn' },
    item.changed.length === 0 ? undefined : { name: 'Changed options', value: item.changed.join(', '), mono: true },
    method === null ? undefined : { name: 'Request', value: `${method} ${path ?? ''}`, mono: true },
    far ? { name: 'Address', value: address, mono: true } : undefined,
    (detail?.change?.reason ?? null) === null ? undefined : { name: 'Reason', value: detail?.change?.reason ?? '' },
    requestId === undefined ? undefined : { name: 'Request id', value: requestId, mono: true },
  ];
  return facts.filter((fact) => fact !== undefined);
}

function sum(legs: readonly { readonly kind: string; readonly milliseconds?: number }[]): number {
  return legs.reduce((total, { milliseconds = 0 }) => total + milliseconds, 0);
}
