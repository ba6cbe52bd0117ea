import { parseJson } from '../../kernel/json-value.js';
import { clientDataText } from './software-notes.js';

/** Maximum number of challenges that are remembered. The oldest are forgotten first. */
const MOST = 20_000;
/** Length in base64url of the shortest challenge that the standard allows: 16 bytes. */
const SHORTEST = 22;
const RUNS = new RegExp(`[A-Za-z0-9_-]{${SHORTEST},}`, 'g');

/** Remembers the challenges that are still valid, even if the stream no longer lists their ceremonies. */
export class OpenChallenges {
  /** The time when each challenge expires, in milliseconds since the epoch. The key is the challenge in base64url. */
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

  /**
   * Finds all valid challenges in a response and returns the latest time at which one of them expires. A challenge may be in the client
   * data or elsewhere, in either base64 alphabet. Undefined if the response contains no valid challenge.
   */
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

/** Finds the character sequences in a string that may be a challenge. They are in the base64url alphabet. */
function findRuns(text: string): readonly string[] {
  return text.replaceAll('+', '-').replaceAll('/', '_').match(RUNS) ?? [];
}

/** Parses JSON that contains escapes, since they could hide a challenge. Returns null for a string without escapes. */
function parsed(text: string): unknown {
  return text.includes('\\') ? (parseJson(text) ?? null) : null;
}

/** Joins all names and strings in a JSON value into one string. Replaces each escape by a space. */
function textsIn(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:u[0-9a-f]{4}|.)/g, ' ');
}
