import { parseJson } from '../../kernel/json-value.js';
import { clientDataText } from './software-notes.js';

/** How many challenges are remembered: a flood pushes out the oldest. */
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

  /** The latest expiry of the challenges that a response names: in its client data or beside them, in either alphabet. */
  namedIn(response: unknown, { now, taken }: { readonly now: number; readonly taken: string | undefined }): number | undefined {
    const clientData = clientDataText(response);
    const runs = [clientData, textsIn(parsed(clientData))].flatMap(findRuns);
    const beside = findRuns(textsIn(response));
    const named = [...runs, ...beside].filter((run) => this.#open.has(run));
    // That which was taken is most often all there is. In client data another may stand within a longer word.
    const words = runs.filter((run) => run !== taken && run.length > SHORTEST && !this.#open.has(run)).join(' ');
    if (words !== '') named.push(...[...this.#open.keys()].filter((challenge) => words.includes(challenge)));
    const until = Math.max(...named.map((challenge) => this.#open.get(challenge) ?? 0), 0);
    return until > now ? until : undefined;
  }
}

/** The words that may be a challenge, in the alphabet of base64url. */
function findRuns(text: string): readonly string[] {
  return text.replaceAll('+', '-').replaceAll('/', '_').match(RUNS) ?? [];
}

/** Decodes escapes, which would hide a challenge. */
function parsed(text: string): unknown {
  return text.includes('\\') ? (parseJson(text) ?? null) : null;
}

/** The names and texts in a JSON value, each escape a space. */
function textsIn(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:u[0-9a-f]{4}|.)/g, ' ');
}
