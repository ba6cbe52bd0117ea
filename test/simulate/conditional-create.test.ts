import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { explain } from '../../src/explain/library.js';
import { serializeFixture } from '../../src/fixture/write.js';
import { openRun } from '../../src/simulate/engine/open-run.js';
import { replayRebound } from '../../src/simulate/engine/replay-rebound.js';
import { replayVerbatim } from '../../src/simulate/engine/replay-verbatim.js';
import { runIn } from '../cli/run-in.js';
import { tempFolder } from '../cli/temp-folder.js';
import { recordSoftwareCeremonies } from './software-ceremonies.js';

const run = await openRun();
const server = run.borrowServer();
afterAll(() => run.close());

const { registration } = await recordSoftwareCeremonies({}, {}, 'conditional');
const { mediation: _, ...ceremony } = registration.ceremony;
const untold = { ...registration, ceremony };
const told = { rpId: registration.rpId, origin: registration.origin, challenge: ceremony.challenge, algorithms: ['ES256'] };
const stepOf = ({ steps }: Awaited<ReturnType<typeof explain>>) => steps.find(({ slug }) => slug === 'user-present');
const IF_IT_WAS = expect.stringContaining('if this was one, say so: `mediation` "conditional" (--mediation conditional).');

describe('a conditional create, whose response has UP unset', () => {
  test('is recorded with its mediation, and replayed verbatim', async () => {
    expect(registration).toMatchObject({ version: 1, ceremony: { mediation: 'conditional' }, expected: { outcome: 'verified' } });
    expect(await replayVerbatim(registration, server)).toEqual({ status: 'passed' });
    expect(await replayVerbatim(untold, server)).toMatchObject({ status: 'failed' });
    expect(await replayRebound(registration, run)).toEqual({
      status: 'not_applicable',
      reason: 'the API cannot begin a conditional create',
    });
  });

  test('is accepted where the fixture or an expectation says so', async () => {
    const pass = { status: 'pass', received: 'UP not set' };
    for (const document of [
      await explain(registration),
      await explain(untold, { mediation: 'conditional' }),
      await explain(registration.response, { ...told, mediation: 'conditional', requireUserVerification: false }),
    ]) {
      expect(document).toMatchObject({ verdict: 'accepted', library: { verdict: 'accepted' } });
      expect(stepOf(document)).toMatchObject(pass);
    }
  });

  test('is rejected where nobody says so, with a hint that does not claim to know', async () => {
    for (const document of [await explain(untold), await explain(registration.response, told)]) {
      expect(document.verdict).toBe('rejected');
      expect(stepOf(document)).toMatchObject({ status: 'fail', code: 'user_not_present', hint: IF_IT_WAS });
    }
  });

  test('can be told on the command line', async () => {
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'fixture.json'), serializeFixture(untold));
    expect((await runIn(cwd, ['explain', 'fixture.json'])).code).toBe(1);
    expect((await runIn(cwd, ['explain', 'fixture.json', '--mediation', 'conditional'])).code).toBe(0);
    expect(await runIn(cwd, ['explain', 'fixture.json', '--mediation', 'silent'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--mediation expects "conditional", or nothing for any other; got "silent"'),
    });
  });

  test('no other mediation is taken by the library', async () => {
    const mediation: 'conditional' = JSON.parse('"silent"');
    await expect(explain(registration, { mediation })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: 'mediation: expected "conditional", or nothing for any other; got "silent".',
    });
  });
});
