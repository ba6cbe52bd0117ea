import { isObject } from '../../kernel/json-value.js';
import { clientDataText } from './software-notes.js';

/** Challenges that are remembered: those of a flood push out the oldest. */
const MOST = 20_000;
/** Characters of the shortest challenge that the standard allows, in base64url: 16 bytes. */
const SHORTEST = 22;
const RUNS = new RegExp(`[A-Za-z0-9_-]{${SHORTEST},}`, 'g');

/** Challenges that are still good, whether the stream still lists their ceremonies or not. */
export class OpenChallenges {
  /** Until when each is good, by its base64url. Milliseconds since the epoch. */
  readonly #open = new Map<string, number>();

  add(challenge: string, until: number): void {
    this.#open.set(challenge, until);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST && oldest !== undefined) this.#open.delete(oldest);
  }

  spent(challenge: string): void {
    this.#open.delete(challenge);
  }

  expire(now: number): void {
    for (const [challenge, until] of this.#open) {
      if (until <= now) this.#open.delete(challenge);
    }
  }

  /** Until when the longest lived of those is good that a response names: in its client data or beside them, in either alphabet. */
  namedIn(response: unknown, { now, taken }: { readonly now: number; readonly taken: string | undefined }): number | undefined {
    const clientData = clientDataText(response);
    const texts = [clientData, ...stringsIn(parsed(clientData))].map(inOneAlphabet);
    const runs = texts.flatMap((text) => text.match(RUNS) ?? []);
    const beside = stringsIn(response).flatMap((text) => inOneAlphabet(text).match(RUNS) ?? []);
    const named = [...runs, ...beside].filter((run) => this.#open.has(run));
    // That which was taken is most often all there is. In client data another may stand within a longer word.
    const words = runs.filter((run) => run !== taken && run.length > SHORTEST && !this.#open.has(run)).join(' ');
    if (words !== '') named.push(...[...this.#open.keys()].filter((challenge) => words.includes(challenge)));
    const until = Math.max(...named.map((challenge) => this.#open.get(challenge) ?? 0), 0);
    return until > now ? until : undefined;
  }
}

function inOneAlphabet(text: string): string {
  return /[+/]/.test(text) ? text.replaceAll('+', '-').replaceAll('/', '_') : text;
}

/** Decodes escapes, since they hide what they stand for. */
function parsed(text: string): unknown {
  if (!text.includes('\\')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member)]) : [];
}
