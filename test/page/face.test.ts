import { describe, expect, test } from 'vitest';
import { listItems, tabFace } from '../../src/page/items.js';
import type { Run } from '../../src/page/run.js';
import type { Waiting } from '../../src/page/state.js';
import { waitingText } from '../../src/page/view/time.js';
import { loginRun } from './runs.js';

function face(...runs: readonly Partial<Run>[]) {
  return tabFace(
    listItems({
      runs: runs.map((run, index) => loginRun({ id: index, startedAt: 1, outcome: 'running', ...run })),
      stream: [],
      pasted: [],
    }),
  );
}

describe('the face of the tab', () => {
  test('is the product’s before the first ceremony', () => {
    expect(face()).toEqual({ title: 'passkey', tone: 'plain' });
    expect(face({ kind: 'other', title: 'Sign in as a test user', outcome: 'verified' })).toEqual({ title: 'passkey', tone: 'plain' });
  });

  test.each([
    ['running', '… Log in · passkey', 'accent'],
    ['verified', '✓ Log in · passkey', 'good'],
    ['rejected', '✗ Log in · passkey', 'bad'],
    ['unanswered', '! Log in · passkey', 'warn'],
    ['cancelled', '· Log in · passkey', 'plain'],
  ] as const)('says how the newest ceremony ended: %s', (outcome, title, tone) => {
    const older = { title: 'Register a passkey', kind: 'registration', startedAt: 0, outcome: 'verified' } as const;
    const between = { title: 'Sign out', kind: 'other', startedAt: 9, outcome: 'verified' } as const;
    expect(face(older, { outcome, startedAt: 5 }, between)).toEqual({ title, tone });
  });
});

describe('what a waiting ceremony says', () => {
  const waiting: Waiting = { run: 1, title: 'Log in', phase: 'browser', since: 10_000, until: 70_000, silent: false };

  test('for whom it waits', () => {
    expect(waitingText({ ...waiting, phase: 'server' }, 10_000).words).toBe('Waiting for the server');
    expect(waitingText(waiting, 10_000).words).toBe('Waiting for you to answer the browser');
    expect(waitingText({ ...waiting, silent: true }, 10_000).words).toContain('only if a password manager has just signed you in');
  });

  test('the time that has passed and is left, never less than none', () => {
    expect(waitingText(waiting, 15_400).time).toBe('5 s, 55 s left');
    expect(waitingText({ ...waiting, until: undefined }, 15_400).time).toBe('5 s');
    expect(waitingText(waiting, 9_000).time).toBe('0 s, 61 s left');
    expect(waitingText(waiting, 90_000).time).toBe('80 s, 0 s left');
  });
});
