import { afterEach, expect, vi } from 'vitest';
import { simulate } from '../../../../src/simulate/simulate.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { startBetterAuth } from '../../../targets/better-auth.js';
import { quick, thorough } from '../../../thorough.js';

quick('lists and removes passkeys, and signs out, as its users do', async () => {
  const target = await startBetterAuth();
  const ids = ['session.own-passkeys', 'session.others-passkeys', 'session.others-passkey-removed', 'session.after-sign-out'];
  const profile = await readProfile('better-auth', '.');
  const { results } = await simulate({ fixtures: [], version: '0.0.0', select: { ids }, target: { url: target.url, profile } });
  await target.close();
  expect(Object.fromEntries(results.map(({ id, status }) => [id, status]))).toEqual(Object.fromEntries(ids.map((id) => [id, 'passed'])));
});

afterEach(() => void vi.useRealTimers());

thorough(
  'lets its users recover accounts, sign in and step up by password, and lets a session that is not fresh remove passkeys',
  async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const target = await startBetterAuth(undefined, { freshAge: 300 });
    const read = await readProfile('better-auth', '.');
    const recover = read.profile.recover?.map(({ exec, if: _set, ...request }) =>
      exec === undefined ? request : { ...request, request: 'GET /letters/{user.email}' },
    );
    const policy = { ...read.profile.has?.policy, freshSeconds: 300, recoverySeconds: 3600, recoveryEnds: ['password' as const] };
    const profile = { ...read, profile: { ...read.profile, ...(recover && { recover }), has: { ...read.profile.has, policy } } };
    const passTime = async (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);
    const select = { ids: ['lifecycle.*'], slow: true };
    const { summary, findings } = await simulate({
      fixtures: [],
      version: '0.0.0',
      select,
      target: { url: target.url, profile, passTime },
    });
    await target.close();
    // Its freshSessionMiddleware guards the registration; the endpoint delete-passkey has sessionMiddleware only.
    expect(findings.map(({ cause, cases }) => [cause, cases])).toEqual([['fresh-sign-in', ['lifecycle.stale-removes-passkey']]]);
    expect(summary).toMatchObject({ failed: 1, not_applicable: 23 });
  },
);
