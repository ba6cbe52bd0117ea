import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { EndedCeremony } from '../../../src/browse/ceremony.js';
import { renderCeremony } from '../../../src/cli/browse/line.js';
import { ACCEPTED, openSite, REFUSED } from './browsed.js';

const PLAIN = pc.createColors(false);
const COLOURED = pc.createColors(true);
const AT = '10:30:05';
const SHOP = 'https://shop.example.org';

/** The line, and the colour of its verdict. */
function linesOf(ceremony: EndedCeremony): [line: string, colour: string | undefined] {
  const coloured = renderCeremony(ceremony, COLOURED);
  const colour = (['red', 'green', 'yellow'] as const).find((name) => coloured.includes(`: ${COLOURED[name]('\0').split('\0')[0]}`));
  return [renderCeremony(ceremony, PLAIN), colour];
}

test('a line says who answered, what the site made of it, and what the steps do', async () => {
  const { perform, answerer } = openSite({ persona: 'yubikey-5' });
  const by = `${SHOP} by yubikey-5`;
  const tail = 'every step accepts it · 1 remark on the options';
  expect(linesOf(await perform('create', { answered: ACCEPTED }))).toEqual([
    `${AT} registration at ${by}: the site accepted it (201); every step accepts it · 2 remarks on the options`,
    'green',
  ]);
  const login = async (status: number, body: string) => linesOf(await perform('get', { answered: { status, body } }));
  expect(await login(200, '{"ok":true}')).toEqual([`${AT} authentication at ${by}: the site accepted it (200); ${tail}`, 'green']);
  expect(await login(REFUSED.status, REFUSED.body)).toEqual([
    `${AT} authentication at ${by}: Refused by your server (403): “this shop is closed”; ${tail}`,
    'red',
  ]);
  expect(await login(500, 'oops')).toEqual([
    `${AT} authentication at ${by}: Your server failed (500), which is not a refusal: “oops”; ${tail}`,
    'yellow',
  ]);
  expect(await login(302, '')).toEqual([`${AT} authentication at ${by}: the site answered it (302); ${tail}`, 'yellow']);
  expect(linesOf(await perform('get'))).toEqual([`${AT} authentication at ${by}: its response was not seen; ${tail}`, 'yellow']);
  answerer.choose({ tamper: 'login.signature-bit' });
  expect(linesOf(await perform('get', { answered: ACCEPTED }))).toEqual([
    `${AT} authentication at ${by}, broken with login.signature-bit: the site accepted it (201); §7.2 step 21 (signature) rejects it · 1 remark on the options`,
    'red',
  ]);
});

test('an exception stands behind its reason; open steps are named', async () => {
  const { perform } = openSite();
  const more = { allowCredentials: [{ type: 'public-key', id: 'AAAA' }] };
  expect(linesOf(await perform('get', { more }))).toEqual([
    `${AT} authentication at ${SHOP}: No answer from the browser: none of the 1 allowed IDs is registered here; NotAllowedError: Expected one of 1 allowed credentials for example.org; this authenticator has none. · 3 remarks on the options`,
    'red',
  ]);
  const registered = await perform('create', { more: { challenge: 'AAAAAAAAAAAAAAAAAAAAZw' } });
  const { explanation } = registered;
  const undecided = { ...registered, explanation: { ...explanation, verdict: 'undecided' as const, advice: [] } };
  const steps = explanation.steps.map((step) => ({ ...step, status: 'skip' as const, open: ['origin', 'challenge'].includes(step.slug) }));
  expect(linesOf({ ...undecided, explanation: { ...undecided.explanation, steps } })[0]).toBe(
    `${AT} registration at ${SHOP} by plain: its response was not seen; no step rejects it; open: challenge, origin`,
  );
});
