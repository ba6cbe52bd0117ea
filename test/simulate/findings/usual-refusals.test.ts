import { expect, test } from 'vitest';
import { renderEnd } from '../../../src/simulate/reporters/pretty.js';
import { type Instead, runAgainstUnsteady } from '../unsteady-target.js';

const ATTACKS = ['login.origin-other-site', 'login.origin-other-port', 'login.origin-other-scheme', 'login.origin-longer-host'];

/** Refuses the attack from another port because of a session that it says is lost. */
const loses: Instead = ({ path, body }) => {
  if (path !== '/api/passkeys/login') return undefined;
  const { response } = JSON.parse(String(body));
  const { origin } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
  return new URL(origin).port === '8443' || /localhost:(?!7277)/.test(origin) ? { status: 440, json: { reason: 'no_session' } } : undefined;
};

test('an attack that is refused otherwise than those like it is listed with both refusals', async () => {
  const report = await runAgainstUnsteady(loses, { select: { ids: ATTACKS } });
  expect(report.summary).toMatchObject({ passed: 4, failed: 0 });
  const strange = report.results.filter((result) => result.usual_refusal !== undefined);
  expect(strange).toMatchObject([{ id: 'login.origin-other-port', refusal: { status: 440 }, usual_refusal: { status: 403 } }]);
  const shown = '? 1 refused, reason unknown: got 440; most cases of this check got 403\n    login.origin-other-port\n';
  expect(renderEnd(report, { colour: false, verbose: true })).toContain(shown);
  expect(renderEnd(report, { colour: false })).not.toContain('reason unknown');
});

test('nothing is listed for a server that refuses everything alike', async () => {
  const alike: Instead = ({ path, body }) => {
    if (path !== '/api/passkeys/login') return undefined;
    const { response } = JSON.parse(String(body));
    const { origin } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
    return origin === 'http://localhost:7277' ? undefined : 400;
  };
  const { results } = await runAgainstUnsteady(alike, { select: { ids: ATTACKS } });
  expect(results.map(({ refusal, usual_refusal: usual }) => [refusal?.status, usual])).toEqual(ATTACKS.map(() => [400, undefined]));
});
