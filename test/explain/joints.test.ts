import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from '../../src/cli/serve/logger.js';
import { PasskeyError } from '../../src/errors.js';
import { explainAll } from '../../src/explain/library.js';
import { findFixtureFiles } from '../../src/fixture/find.js';
import { readFixture } from '../../src/fixture/read.js';
import { clause } from '../../src/kernel/wording.js';
import { startInProcess } from '../../src/simulate/engine/in-process.js';
import { replayVerbatim } from '../../src/simulate/engine/replay-verbatim.js';
import { fakeIo } from '../cli/fake-io.js';
import { keepingRefusals } from '../simulate/keeping-refusals.js';
import { STRAY, texts } from './stray.js';

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

// test/simulate/cases/all-cases.test.ts looks at what it answers to the cases.
test('no stray full stop in what the server answers to any fixture', async () => {
  const inProcess = startInProcess();
  const { server, refusals } = keepingRefusals(inProcess);
  try {
    for (const fixture of fixtures) await replayVerbatim(fixture, server);
  } finally {
    await inProcess.close();
  }
  const said = texts(refusals);
  expect(said.length).toBeGreaterThan(50);
  expect(said.filter((text) => STRAY.test(text))).toEqual([]);
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
