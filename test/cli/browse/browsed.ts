import { onTestFinished } from 'vitest';
import type { EndedCeremony } from '../../../src/browse/ceremony.js';
import { Session } from '../../../src/browse/session.js';
import { keptInMemory } from '../../../src/cli/answer/keeper.js';
import { createAnswerer } from '../../../src/cli/browse/answerer.js';
import type { JsonObject } from '../../../src/kernel/json-value.js';

export const ORIGIN = 'https://shop.example.org';
export const RP_ID = 'example.org';
export const BEGUN = Date.UTC(2026, 0, 15, 10, 30, 5);

const EXTENSIONS = { remoteDesktopClientOverride: { origin: ORIGIN, sameOriginWithAncestors: true } };

/** The challenge of the n-th ceremony, from 1. */
export const challengeOf = (n: number): string => `${'A'.repeat(20)}${String.fromCharCode(65 + n)}A`;

export const creation = (n: number): JsonObject => ({
  challenge: challengeOf(n),
  rp: { id: RP_ID, name: 'Shop' },
  user: { id: 'AQID', name: 'ada', displayName: 'Ada' },
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  pubKeyCredParams: [
    { type: 'public-key', alg: -7 },
    { type: 'public-key', alg: -257 },
  ],
  extensions: EXTENSIONS,
});

export const request = (n: number): JsonObject => ({
  challenge: challengeOf(n),
  rpId: RP_ID,
  userVerification: 'required',
  extensions: EXTENSIONS,
});

/** A browser whose pages are answered by `passkey browse`, and the site that takes their responses. */
export function openSite(given: Partial<Parameters<typeof createAnswerer>[1]> = {}) {
  const answerer = createAnswerer(keptInMemory(), { persona: undefined, tamper: undefined, ...given });
  const ended: EndedCeremony[] = [];
  const session = new Session({
    now: () => BEGUN,
    answer: answerer.answer,
    onEnded(ceremony) {
      answerer.ended(ceremony);
      ended.push(ceremony);
    },
    onUnjudged(_, cause) {
      throw cause;
    },
  });
  onTestFinished(() => session.close());
  let last = 0;
  /** One ceremony. @param answered what the site answers to the response; undefined: it is not sent. */
  async function perform(
    call: 'create' | 'get',
    { answered, more = {} }: { readonly answered?: { readonly status: number; readonly body: string }; readonly more?: JsonObject } = {},
  ): Promise<EndedCeremony> {
    last += 1;
    const options = { ...(call === 'create' ? creation(last) : request(last)), ...more };
    const came = await session.called({ call, id: last, options }, new AbortController().signal);
    if (answered !== undefined && 'response' in came) {
      const sent = { at: BEGUN + 40, method: 'POST', url: `${ORIGIN}/finish`, origin: ORIGIN, sent: JSON.stringify(came.response) };
      session.exchanged({ ...sent, status: answered.status, received: answered.body });
    }
    await session.close();
    const ceremony = ended.at(-1);
    if (ceremony === undefined) throw new TypeError('Expected a ceremony that is over; none is.');
    return ceremony;
  }
  return { answerer, perform };
}

export const ACCEPTED = { status: 201, body: '{"verified":true}' };
export const REFUSED = { status: 403, body: '{"error":"this shop is closed"}' };
