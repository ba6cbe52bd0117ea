import { beforeAll, describe, expect, test } from 'vitest';
import { explain } from '../../src/explain/library.js';
import { recordCeremony } from '../../src/fixture/recorded-ceremony.js';
import { loadLibrary } from '../../src/relying-party/simplewebauthn.js';
import { startInProcess } from '../../src/simulate/engine/in-process.js';
import { replayVerbatim } from '../../src/simulate/engine/replay-verbatim.js';
import { requestedAppId } from '../../src/webauthn/extensions.js';
import { type AuthenticationFields, authenticationResponse, CREDENTIAL_ID, RP_ID } from './ceremony.js';
import { createWorld } from './world.js';

// §10.1.1: a credential of U2F days is scoped to an AppID, and its assertions have the hash of that.

const APP_ID = 'https://example.org/u2f-app-id.json';
const used = (appid: boolean): Partial<AuthenticationFields> => ({
  change: { json: (json) => ({ ...json, clientExtensionResults: { appid } }) },
});

interface AppIdCase {
  readonly name: string;
  readonly asked: boolean;
  /** What the hash is of. */
  readonly rpId: string;
  readonly output: boolean | undefined;
  /** Undefined: accepted. */
  readonly hint?: RegExp;
}

const CASES: readonly AppIdCase[] = [
  { name: 'asked for and used', asked: true, rpId: APP_ID, output: true },
  { name: 'asked for and not used', asked: true, rpId: RP_ID, output: false },
  { name: 'asked for, and the client does not know it', asked: true, rpId: RP_ID, output: undefined },
  { name: 'not asked for, though the client says it used one', asked: false, rpId: RP_ID, output: true },
  {
    name: 'asked for and said to be used, with the hash of the RP ID',
    asked: true,
    rpId: RP_ID,
    output: true,
    hint: /it is that of the RP ID/,
  },
  { name: 'asked for and said not to be used, with its hash', asked: true, rpId: APP_ID, output: false, hint: /appid is not true/ },
  { name: 'asked for, with its hash and no output', asked: true, rpId: APP_ID, output: undefined, hint: /appid is not true/ },
  { name: 'not asked for, with its hash', asked: false, rpId: APP_ID, output: true, hint: /belongs to another RP ID/ },
  {
    name: 'asked for, and the hash is of another',
    asked: true,
    rpId: 'https://else.example/id',
    output: true,
    hint: /belongs to another RP ID/,
  },
];

const fieldsOf = ({ rpId, output }: AppIdCase): Partial<AuthenticationFields> => ({ rpId, ...(output !== undefined && used(output)) });
const optionsOf = ({ asked }: AppIdCase) => (asked ? { extensions: { appid: APP_ID } } : {});

beforeAll(loadLibrary);

async function login(given: AppIdCase) {
  const world = createWorld();
  await world.register();
  const { challenge } = await world.relyingParty.beginAuthentication({
    credentialId: CREDENTIAL_ID,
    client: 'test',
    options: optionsOf(given),
  });
  const response = authenticationResponse({ key: world.key, challenge, ...fieldsOf(given) });
  const error = await world.relyingParty.authenticate({ response }).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return { error, event: world.events.at(-1) };
}

describe('an AppID', () => {
  test.each(CASES)('$name: at the relying party', async (given) => {
    const { error, event } = await login(given);
    if (given.hint === undefined) {
      expect(error).toBeUndefined();
      expect(event).toMatchObject({ outcome: 'verified', decidedBy: 'both' });
      return;
    }
    expect(error).toMatchObject({ code: 'rp_id_mismatch', step: { section: '7.2', number: 15, slug: 'rp-id-hash' } });
    expect(error).toMatchObject({ step: { hint: expect.stringMatching(given.hint) } });
  });
});

test('a recording of a login by AppID has the options and the output; its explanation and its replay accept it', async () => {
  const { event } = await login({ name: '', asked: true, rpId: APP_ID, output: true });
  if (event?.type !== 'ceremony-finished') throw new Error('Expected the end of a ceremony.');
  const recorded = recordCeremony(event, { tool: 'test', version: '1' });
  if (recorded.status !== 'recorded') throw new Error(recorded.reason);
  expect(recorded.fixture).toMatchObject({
    ceremony: { options: { extensions: { appid: APP_ID } } },
    response: { clientExtensionResults: { appid: true } },
  });
  await expect(explain(recorded.fixture)).resolves.toMatchObject({ verdict: 'accepted' });
  const server = startInProcess();
  expect(await replayVerbatim(recorded.fixture, server)).toEqual({ status: 'passed' });
  await server.close();
});

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ extensions: null }, undefined],
  [{ extensions: { appid: '' } }, undefined],
  [{ extensions: { appid: 1 } }, undefined],
  [{ extensions: Object.create({ appid: APP_ID }) }, undefined],
  [{ extensions: { appid: APP_ID } }, APP_ID],
])('the AppID of the options %j is %j', (options, appId) => {
  expect(requestedAppId(options)).toBe(appId);
});
