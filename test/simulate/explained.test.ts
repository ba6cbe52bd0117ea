import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CeremonyFinished } from '../../src/relying-party/events.js';
import type { Ceremony } from '../../src/relying-party/ports.js';
import type { StreamDetail, StreamDocument } from '../../src/server/schemas/stream.js';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { type InProcessServer, startInProcess } from '../../src/simulate/engine/in-process.js';
import { SLOW_TAG } from '../../src/simulate/engine/scenario.js';
import { simulate } from '../../src/simulate/simulate.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { share } from '../thorough.js';

/** One of forty cases in `npm test`, the others in `npm run test:release`. */
const CASES = share(
  ALL_CASES.filter(({ tags }) => tags?.includes(SLOW_TAG) !== true),
  40,
);

/** Every ceremony that finished while they ran. */
const finished: CeremonyFinished[] = [];
const begun: Ceremony[] = [];
const tokens: string[] = [];
let server: InProcessServer;
let url: URL;

beforeAll(async () => {
  server = startInProcess({ stream: true });
  // The clock stands: no challenge that is good now expires.
  const underTest = await server.open({ now: Date.now() });
  url = underTest.target.url;
  underTest.relyingParty.on((event) => {
    if (event.type === 'ceremony-finished') finished.push(event);
    if (event.type === 'ceremony-begun') begun.push(event.ceremony);
  });
  for (const name of ['one', 'two']) {
    const owner = await underTest.accounts.addOwner({ email: `${name}@example.org`, name });
    tokens.push((await underTest.accounts.createToken({ owner })).token);
  }
  const select = { ids: CASES.map(({ id }) => id) };
  const report = await simulate({ fixtures: [], version: '0.0.0', select, target: { url: underTest.target.url.href, tokens } });
  expect(report.summary.failed).toBe(0);
}, 240_000);
afterAll(() => server.close());

async function read<Document>(path: string): Promise<Document> {
  return (await (await fetch(new URL(path, url))).json()) as Document;
}

/** Neither a token nor a challenge that is still good, also within client data. */
function expectNoSecrets(told: string): void {
  const inside = [...told.matchAll(/"clientDataJSON":"([\w-]+)/g)]
    .map(([, text = '']) => Buffer.from(text, 'base64url').toString())
    .join('\n');
  expect(inside.length).toBeGreaterThan(5_000);
  const spent = new Set(finished.flatMap(({ ceremony }) => (ceremony === undefined ? [] : encodeBase64url(ceremony.challenge))));
  const open = begun.map(({ challenge }) => encodeBase64url(challenge)).filter((challenge) => !spent.has(challenge));
  expect(open.length).toBeGreaterThan(0);
  for (const secret of [...tokens, ...open]) {
    expect([secret, told.includes(secret), inside.includes(secret)]).toEqual([secret, false, false]);
  }
  expect(told).not.toMatch(/"(?:results|blob|hmacGetSecret|set-cookie|cookie|authorization)":/i);
}

describe(`over ${CASES.length} cases`, () => {
  test('the stream of the server explains every ceremony as the server decided it, with all steps', async () => {
    const { entries } = await read<StreamDocument>('/dev/stream');
    const ended = entries.filter(({ state }) => state === 'verified' || state === 'rejected');
    // The server keeps a thousand entries, requests that it refused among them; some cases end no ceremony, and most two.
    expect(ended.length).toBeGreaterThan(Math.min(CASES.length / 2, 500));
    const told: unknown[] = [entries];
    const wrong: unknown[] = [];
    const otherwise: string[] = [];
    for (const entry of ended) {
      const detail = await read<StreamDetail>(`/dev/stream/${entry.id}`);
      told.push(detail);
      const { explanation, response } = detail;
      const failed = explanation?.steps.find(({ slug }) => slug === entry.step?.slug);
      const steps = entry.kind === 'registration' ? 29 : 25;
      const says = {
        verdict: explanation?.verdict,
        steps: explanation?.steps.length,
        failed: failed && [failed.status, failed.code, failed.number],
        code:
          explanation?.error?.code ?? explanation?.steps.find(({ status, code }) => status === 'fail' && code === entry.code)?.code ?? null,
      };
      const should = {
        verdict: entry.state === 'verified' ? 'accepted' : 'rejected',
        steps,
        failed: entry.step === null ? undefined : ['fail', entry.code, entry.step.number],
        code: entry.code,
      };
      if (!isDeepStrictEqual(says, should)) wrong.push({ entry, says, should, response });
      if (explanation?.observations.some(({ slug }) => slug === 'decided-otherwise')) otherwise.push(`${entry.kind} ${entry.code}`);
    }
    expect(wrong).toEqual([]);
    expectNoSecrets(JSON.stringify(told));
    // Another login of the same credential was faster (`login.same-count-at-once`): the response alone does not show it.
    expect(otherwise.filter((which) => which !== 'authentication counter_regressed')).toEqual([]);
  }, 120_000);
});
