import { describe, expect, test } from 'vitest';
import { profileFromHar } from '../../../../src/simulate/target/recording/profile-from-har.js';
import { startHankoFlow } from '../../../targets/hanko-flow.js';
import type { Target } from '../../../targets/http.js';
import { startKratos } from '../../../targets/kratos.js';
import { recordHankoFlow, recordKratos } from './record-flows.js';
import { walked } from './walked.js';

const [CEREMONIES, ATTACK, LEFT, AGAIN, FORGED] = [
  ['account', 'registration options', 'registration', 'discoverable login: options', 'discoverable login'],
  ['discoverable login: options', 'login with a changed signature'],
  ['cleanup: skipped, The profile has no "cleanup": the test passkey stays on the server.'],
  ['another registration: options'],
  ['registration with a changed challenge'],
];
const WITHOUT_WITNESS = [
  'whoami: skipped, The profile does not ask who is signed in: add "whoami", which checks the result of each login.',
];

async function recorded(start: () => Promise<Target>, record: typeof recordKratos) {
  const target = await start();
  try {
    const { profile, url } = profileFromHar((await record(target.url)).har(), 'flow');
    return { profile, walk: await walked(profile, url) };
  } finally {
    await target.close();
  }
}

describe('a recording of self-service flows', () => {
  test('takes flow URLs, CSRF tokens of a list, and options as text (Kratos)', async () => {
    const { profile, walk } = await recorded(startKratos, recordKratos);
    // It refuses registrations with 500, which a recording of one that went well cannot tell: the probe does.
    const failed = expect.stringMatching(/^registration with a changed challenge: failed, 500 /);
    expect(walk).toEqual({ passed: false, steps: [...CEREMONIES, ...ATTACK, ...LEFT, ...AGAIN, failed] });
    expect(profile.registrationOptions).toEqual([
      {
        request: 'GET /self-service/settings/browser',
        take: {
          action: 'json ui.action',
          csrfToken: 'json ui.nodes[attributes.name=csrf_token].attributes.value',
          options: 'json ui.nodes[attributes.name=passkey_create_data].attributes.value | json | at publicKey',
        },
      },
    ]);
    expect(profile.register).toEqual([
      {
        request: 'POST {action}',
        headers: { origin: '{origin}' },
        json: { csrf_token: '{csrfToken}', method: 'passkey', passkey_settings_register: { $: 'credential | string' } },
        accept: { status: '2xx', 'json state': 'success' },
      },
    ]);
    expect(profile.authenticate).toMatchObject([{ accept: { status: '2xx', 'json session.active': true } }]);
    expect(profile.whoami).toEqual([
      { request: 'GET /sessions/whoami', take: { user: 'json identity.id' }, accept: { status: '2xx', 'json identity.id': '*' } },
    ]);
  });

  test('takes the next URL and token of each answer (Hanko)', async () => {
    const { profile, walk } = await recorded(startHankoFlow, recordHankoFlow);
    expect(walk).toEqual({ passed: true, steps: [...CEREMONIES, ...WITHOUT_WITNESS, ...ATTACK, ...LEFT, ...AGAIN, ...FORGED] });
    expect(profile.account?.map(({ request }) => request)).toEqual([
      'POST /registration',
      'POST {registerClientCapabilities}',
      'POST {registerLoginIdentifier}',
      'POST {skip}',
      'POST {registerPassword}',
    ]);
    expect(profile.authenticate).toMatchObject([
      {
        request: 'POST {webauthnVerifyAssertionResponse}',
        json: { input_data: { assertion_response: { $: 'credential' } }, csrf_token: '{csrfToken}' },
        accept: { status: '2xx', 'json name': 'success' },
      },
    ]);
  });
});
