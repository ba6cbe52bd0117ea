import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { PasskeyError } from '../../../src/errors.js';
import { createRecovery } from '../../../src/simulate/engine/remote.js';
import { ConnectionLost, createHttpTarget, type HttpTarget } from '../../../src/simulate/http/http.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { parseProfile } from '../../../src/simulate/target/read-profile.js';
import { tempFolder } from '../../cli/temp-folder.js';
import { connect, readIndependentProfile, reportFaults, URL_OF_PARTY } from '../../independent/catalogue.js';
import { createIndependentParty } from '../../independent/server.js';
import { quick as test, thorough } from '../../thorough.js';

const request = [{ request: 'POST /' }];
const PROFILE = {
  format: 'passkey-target-profile',
  version: 1,
  name: 'frail',
  registrationOptions: request,
  register: request,
  authenticationOptions: request,
  authenticate: request,
};

/** Says its port, answers GET and ends at the first POST, as a relying party does that an exception takes down. */
const SERVER = `import { createServer } from 'node:http';
const server = createServer((request, response) => {
  if (request.method === 'POST') process.exit(1);
  response.end('alive');
}).listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write(String(server.address().port)));`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function run(options: { readonly restart?: (command: string) => string }) {
  const file = join(await tempFolder(), 'server.mjs');
  await writeFile(file, SERVER);
  const child = spawn(process.execPath, [file, '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill());
  const [said]: unknown[] = await once(child.stdout, 'data');
  const port = Number(String(said));
  const restart = options.restart?.(`"${process.execPath}" "${file}" ${port}`);
  const { results } = await simulate({
    fixtures: [],
    version: '0.0.0',
    select: { ids: ['register.default', 'login.default'] },
    keepGoing: true,
    target: {
      url: `http://127.0.0.1:${port}`,
      profile: await parseProfile(JSON.stringify(PROFILE), 'frail.json'),
      comeBackWithin: 0,
      ...(restart !== undefined && { restart }),
    },
  });
  return results.map(({ id, status, code, reason, remarks }) => ({
    id,
    status,
    ...((code ?? reason) && { why: code ?? reason }),
    remarks,
  }));
}

thorough('a target that dies is started again for the next case, and the report says so', { timeout: 60_000 }, async () => {
  const remarks = ['the target stopped answering and was restarted (--restart)'];
  expect(await run({ restart: (command) => command })).toEqual([
    { id: 'register.default', status: 'not_run', why: 'preparation_failed', remarks },
    { id: 'login.default', status: 'not_run', why: 'preparation_failed', remarks },
  ]);
});

test('a target that nothing starts again ends the run', { timeout: 60_000 }, async () => {
  expect(await run({})).toEqual([
    {
      id: 'register.default',
      status: 'not_run',
      why: 'preparation_failed',
      remarks: [expect.stringMatching(/did not come back within 0 s; --restart CMD would/)],
    },
    { id: 'login.default', status: 'not_run', why: 'the target no longer answers', remarks: undefined },
  ]);
});

/** Runs cases against an independent relying party that is reached in another way. */
async function runOn(ids: readonly string[], reach: (connections: HttpTarget) => HttpTarget) {
  const party = createIndependentParty({ faults: new Set(['refused-type-ends-process']), roots: [] }, () => URL_OF_PARTY.origin);
  const told: string[] = [];
  const { results } = await simulate({
    fixtures: [],
    version: '0.0.0',
    select: { ids },
    onResult: ({ id, status }) => told.push(`${id} ${status}`),
    target: {
      url: URL_OF_PARTY.href,
      connections: reach(connect(party)),
      tokens: party.tokens,
      profile: await readIndependentProfile(),
      comeBackWithin: 0,
    },
  });
  return { told, results };
}

const GOES_ON = 'the connection broke, but the target still answers';

test('the request after whose answer the target ended is blamed, and not the next one, nor after the last case', async () => {
  const { told, results } = await runOn(['register.default', 'register.type-swapped', 'login.default', 'login.type-swapped'], same);
  expect(told).toEqual(['register.default passed', 'login.default passed', 'register.type-swapped failed', 'login.type-swapped failed']);
  const received = 'the server ended after its response (400)';
  expect(results.map(({ mismatches }) => mismatches.map(({ at, received: came }) => [at, came]))).toEqual([
    [],
    [],
    [['POST /api/passkeys/register', received]],
    [['POST /api/passkeys/login', received]],
  ]);
});

test('a target that ended with a case and does not come back fails that one, and the others do not run', async () => {
  let broken = false;
  const { results } = await runOn(['register.type-swapped', 'login.type-swapped', 'login.type-missing'], (connections) => ({
    ...connections,
    async send(request) {
      if (broken) throw lost('refused');
      return connections.send(request).catch((error: unknown) => {
        broken = true;
        throw error;
      });
    },
  }));
  expect(results.map(({ status, reason }) => [status, reason])).toEqual([
    ['failed', undefined],
    ['not_run', 'the target no longer answers'],
    ['not_run', 'the target no longer answers'],
  ]);
});

test('a ceremony begins again where a kept connection was closed under its response', async () => {
  // The first seven are those of the logins that whoami is held against, and of the plain ceremonies.
  let sent = 0;
  const { results } = await runOn(['login.default'], (connections) => ({
    ...connections,
    async send(request) {
      if (request.once === true && ++sent === 9) throw lost('closed');
      return connections.send(request);
    },
  }));
  expect(results).toMatchObject([{ status: 'passed', remarks: [GOES_ON] }]);
  expect(sent).toBe(11);
});

/** A server that keeps sessions in memory: those from before it ended sign nobody in. `ends` says at which request it does, unanswered. */
function losesSessions(
  connections: HttpTarget,
  ends: (path: string) => 'at once' | 'after a pause' | undefined = () => undefined,
): HttpTarget {
  let given: string[] = [];
  let lostOnes: string[] = [];
  let isAway = false;
  const lose = () => {
    lostOnes = [...lostOnes, ...given];
    given = [];
  };
  return {
    ...connections,
    async send(request) {
      if (isAway) {
        isAway = false;
        throw lost('refused');
      }
      const back = ends(request.path);
      if (back !== undefined) {
        lose();
        isAway = back === 'after a pause';
        throw lost('closed');
      }
      const { cookie = '', ...headers } = request.headers ?? {};
      const isKnown = !lostOnes.some((each) => cookie.includes(each));
      try {
        const answer = await connections.send({ ...request, headers: { ...headers, ...(isKnown && cookie !== '' && { cookie }) } });
        given.push(...(answer.headers['set-cookie'] ?? []).map((line) => line.split(';')[0] ?? ''));
        return answer;
      } catch (error) {
        lose();
        throw error;
      }
    },
  };
}

describe('accounts of a target that ended are opened anew', () => {
  const cases = ['register.default', 'login.default'];
  /** Ends at the registration of the first case: two that whoami is held against, and the two plain ceremonies, come before. */
  const once = (back: 'at once' | 'after a pause') => {
    let sent = 0;
    return (path: string) => (path.endsWith('/register') && ++sent === 5 ? back : undefined);
  };

  test('for the next case, where it came back after a pause', async () => {
    const ends = once('after a pause');
    const { results } = await reportFaults([], { setting: 'signedIn', cases, jobs: 1, reach: (to) => losesSessions(to, ends) });
    expect(results).toMatchObject([
      { id: 'register.default', status: 'failed', remarks: ['the connection broke; the target answered again after a pause'] },
      { id: 'login.default', status: 'passed' },
    ]);
  });

  test('for the same case, where it was back at once', async () => {
    const ends = once('at once');
    const { results } = await reportFaults([], { setting: 'signedIn', cases, jobs: 1, reach: (to) => losesSessions(to, ends) });
    expect(results).toMatchObject([
      { id: 'register.default', status: 'passed', remarks: [GOES_ON] },
      { id: 'login.default', status: 'passed' },
    ]);
  });

  test('for the cases that ran beside the one that ended it', async () => {
    const beside = ['register.type-swapped', 'register.type-missing', ...cases, 'login.type-missing'];
    const options = { setting: 'signedIn', cases: beside, jobs: 4, reach: losesSessions } as const;
    const { results } = await reportFaults(['refused-type-ends-process'], options);
    expect(results.filter(({ id }) => cases.includes(id))).toMatchObject([{ status: 'passed' }, { status: 'passed' }]);
  });
});

const same = <T>(value: T): T => value;
const lost = (how: 'refused' | 'closed') => new PasskeyError('target_unreachable', how, { cause: new ConnectionLost(how, undefined) });

thorough('cases that break at once have the target started again once', { timeout: 60_000 }, async () => {
  const folder = await tempFolder();
  const port = await freePort();
  const counting = `import { appendFileSync } from 'node:fs';\nappendFileSync(process.argv[3], 'x');\n${SERVER}`;
  await writeFile(join(folder, 'server.mjs'), counting);
  const target = createHttpTarget(new URL(`http://127.0.0.1:${port}`));
  const restart = `"${process.execPath}" "${join(folder, 'server.mjs')}" ${port} "${join(folder, 'starts')}"`;
  const { recover, close } = createRecovery({ target, restart, comeBackWithin: undefined, signal: undefined });
  onTestFinished(async () => {
    await close();
    target.close();
  });
  const restarted = { remark: 'the target stopped answering and was restarted (--restart)', alive: true, restarted: true };
  expect(await Promise.all([recover(), recover(), recover()])).toEqual([restarted, restarted, restarted]);
  expect(await readFile(join(folder, 'starts'), 'utf8')).toBe('x');
  expect(await recover()).toMatchObject({ alive: true, restarted: false });
});

thorough.skipIf(process.platform === 'win32')(
  'a target that ignores SIGTERM ends with the run all the same',
  { timeout: 60_000 },
  async () => {
    const folder = await tempFolder();
    const port = await freePort();
    await writeFile(join(folder, 'server.mjs'), `process.on('SIGTERM', () => undefined);\n${SERVER}`);
    const url = new URL(`http://127.0.0.1:${port}`);
    const target = createHttpTarget(url);
    onTestFinished(() => target.close());
    const restart = `"${process.execPath}" "${join(folder, 'server.mjs')}" ${port}`;
    const { recover, close } = createRecovery({ target, restart, comeBackWithin: undefined, signal: undefined });
    expect(await recover()).toMatchObject({ alive: true });
    await close();
    await expect(target.send({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'target_unreachable' });
  },
);
