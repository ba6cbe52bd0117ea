import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from '../../src/cli/serve/logger.js';
import { PasskeyError } from '../../src/errors.js';
import { explainAll } from '../../src/explain/library.js';
import { findFixtureFiles } from '../../src/fixture/find.js';
import { readFixture } from '../../src/fixture/read.js';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { caseScenarios } from '../../src/simulate/engine/case.js';
import { openRun } from '../../src/simulate/engine/context.js';
import type { HttpTarget } from '../../src/simulate/engine/http.js';
import type { InProcessServer } from '../../src/simulate/engine/in-process.js';
import { replayVerbatim } from '../../src/simulate/engine/replay-verbatim.js';
import { clause } from '../../src/webauthn/wording.js';
import { fakeIo } from '../cli/fake-io.js';

/** Where two sentences were joined with the full stop of the first left in. An ellipsis is no such joint, nor is a path. */
const STRAY = /(?<![./])\.[.:;,](?![./])|\. \.(?![./\w])|: ?: /;

const texts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];

test('a clause has no full stop', () => {
  expect([clause('It is.'), clause('It is'), clause('It is...')]).toEqual(['It is', 'It is', 'It is...']);
  expect(['made them.. Send', 'See the log.: Expected', 'one. . two'].every((text) => STRAY.test(text))).toBe(true);
});

const fixtures = await Promise.all(
  (await findFixtureFiles([join(import.meta.dirname, '../../fixtures')])).map((file) => readFixture(file)),
);

test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
  '%s: no stray full stop in what explain says',
  async (_, fixture) => {
    const documents = await explainAll(fixture);
    // The response is data of others: only what we say of it counts.
    const said = documents.flatMap(({ steps, observations, encoding, advice, attestation, library, difference, error }) =>
      texts({ steps, observations, encoding, advice, attestation: attestation?.checks, library, difference, error }),
    );
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter((text) => STRAY.test(text))).toEqual([]);
  },
);

test('no stray full stop in what the server answers to any fixture or case', { timeout: 120_000 }, async () => {
  const run = await openRun();
  const answers: string[] = [];
  /** The same server, whose refusals are kept. */
  const inProcess = run.borrowServer();
  const server: InProcessServer = {
    close: () => inProcess.close(),
    async open(setup) {
      const opened = await inProcess.open(setup);
      const { target } = opened;
      const send: HttpTarget['send'] = async (...request) => {
        const answer = await target.send(...request);
        if (answer.status >= 400) answers.push(...texts(answer.json));
        return answer;
      };
      return { ...opened, target: { ...target, send } };
    },
  };
  try {
    for (const fixture of fixtures) await replayVerbatim(fixture, server);
    for (const scenario of caseScenarios(ALL_CASES, { ...run, borrowServer: () => server })) await scenario.run();
  } finally {
    await run.close();
  }
  expect(answers.length).toBeGreaterThan(1000);
  // A host with a dot at its end is what one case sends.
  expect(answers.filter((text) => STRAY.test(text.replaceAll('//localhost.:', '//localhost:')))).toEqual([]);
});

test('the log says what an error says, its causes in the stack alone', async () => {
  const { io, written } = fakeIo();
  const logger = await createLogger(io, 'error');
  const cause = new PasskeyError('store_damaged', 'Expected JSON; got none. Restore a copy.');
  logger.error({ err: new PasskeyError('store_unavailable', 'The store cannot be read. See the log.', { cause }) }, 'request failed');
  logger.flush();
  const { err } = JSON.parse(written.stderr);
  expect(err.message).toBe('The store cannot be read. See the log.');
  expect(err.stack).toContain('caused by: PasskeyError: Expected JSON');
});
