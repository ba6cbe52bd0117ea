import { type ComponentType, h } from 'preact';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { personaRows } from '../../src/cli/serve/personas.js';
import { annotateCeremony } from '../../src/explain/annotation.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { type MutationRow, type Persona, readRows } from '../../src/page/catalogue.js';
import { createAutofill } from '../../src/page/flow/autofill.js';
import type { AppState, PasskeyRow } from '../../src/page/state.js';
import { Page } from '../../src/page/view/page.js';
import { formatClock, formatTime } from '../../src/page/view/time.js';
import { draw } from './dom.js';
import { streamEntry } from './stream-entries.js';
import { type Answer, GONE, SERVER, tab } from './tab.js';

// The page as text, in the states that it has. A change of the page shows in `drawn`: look at it, then run the tests with --update.

export const NOW = Date.UTC(2026, 0, 15, 12);
export const AT = { first: '2026-01-15T10:30:00.000Z', second: '2026-01-15T11:45:10.000Z', before: '2026-01-14T09:00:00.000Z' };

/** It is the same time in all tests of the file, and no timer runs by itself. */
export function stopClock(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'], now: NOW }));
  afterEach(() => void vi.useRealTimers());
}

/** Times as they are, whatever the place and the language of the reader. */
function withoutLocale(text: string): string {
  const spellings = Object.entries({ ...AT, now: new Date(NOW).toISOString() }).flatMap(([name, time]) => [
    [formatTime(time, 'medium'), `<${name}, to the second>`],
    [formatTime(time), `<${name}, to the minute>`],
    [formatClock(Date.parse(time)), `<clock of ${name}>`],
    [new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' }), `<day of ${name}>`],
  ]);
  // A day is part of a time.
  const longestFirst = spellings.toSorted(([one = ''], [other = '']) => other.length - one.length);
  return longestFirst.reduce((shown, [spelling = '', name = '']) => {
    const pattern = spelling.replaceAll('\u202F', ' ').replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    // Not within the time of a `datetime`, which some languages write alike.
    return shown.replaceAll(new RegExp(`(?<![\\p{Nd}T])${pattern}(?!\\p{Nd})`, 'gu'), name);
  }, text);
}

export const USER = { name: 'Ada', email: 'ada@example.com', owner: 'User:1' };
export const OTHER_USERS = [
  { name: 'Grace', email: 'grace@example.com', owner: 'User:2' },
  { name: 'Alan\u202E', email: 'alan@example.com', owner: 'Admin:3' },
];
const PERSONAS = { status: 'loaded', rows: readRows<Persona>(personaRows(), 'id') ?? [] } as const;

export const passkey = (id: number, change: Partial<PasskeyRow> = {}): PasskeyRow => ({
  id,
  label: `Key ${id}`,
  credential_id: `credential-${id}`,
  created_at: AT.before,
  passkeeable_id: 1,
  passkeeable_type: 'User',
  rp_id: 'localhost',
  user_handle: `handle-${id}`,
  public_key: `key-${id}`,
  algorithm: 'ES256',
  aaguid: `0000000${id}-0000-0000-0000-000000000000`,
  sign_count: 10 + id,
  last_used_at: null,
  revoked_at: null,
  ...change,
});
export const PASSKEYS = [
  passkey(1, { label: 'Laptop', provider: 'Windows Hello', last_used_at: AT.first, uv_initialized: true, attestation_format: 'tpm' }),
  passkey(2, { revoked_at: AT.second, last_used_at: AT.before }),
  passkey(3, { backup_eligible: true, backup_state: true, provider: 'iCloud Keychain', uv_initialized: false }),
  passkey(4, { backup_eligible: true, backup_state: false, label: 'Key\u202Efour', origin: 'http://localhost:7277' }),
  passkey(5, { backup_eligible: false, backup_state: false, passkeeable_id: 2 }),
];

export const mutation = (id: string, change: Partial<MutationRow> = {}): MutationRow => ({
  id,
  ceremony: 'authentication',
  title: `mistake ${id}`,
  expected: 'refused',
  code: 'origin_mismatch',
  tests: { section: '7.2', number: 12, title: 'The origin' },
  why: `Why ${id} matters: \`origin\`.`,
  requires: [],
  signed_again: false,
  in_browser: true,
  asks: { options: {}, login: null, endpoint: 'login', persona: null, algorithms: null },
  ...change,
});
const MUTATIONS = [
  mutation('login.origin-other-port'),
  mutation('login.signature-bit', { code: 'signature_invalid', signed_again: true, requires: ['it counts', 'it is strict'] }),
  mutation('registration.challenge-other', { ceremony: 'registration', code: null, tests: null, why: null }),
  mutation('login.odd', { expected: 'accepted', code: null, unfit: 'it has no `rsa`' }),
];
const CATALOGUE = { status: 'loaded', rows: MUTATIONS } as const;

/** What a server in development answers to the page. */
function answer(path: string, _method: unknown, _signal: unknown, body: JsonObject | undefined): Answer {
  const { response, publicKey, rpId } = body ?? {};
  if (path === '/dev/annotate') {
    const given = { response: Object(response), publicKey: publicKey === undefined ? undefined : String(publicKey) };
    const annotated = annotateCeremony({ ...given, rpId: rpId === undefined ? undefined : String(rpId) });
    return { status: 200, answer: JSON.parse(JSON.stringify(annotated)) };
  }
  if (path === '/dev/expectations') {
    const rows = [
      { name: 'origin', help: 'The `origin`.', step: 'origin', reads: 'text' },
      { name: 'requireUv', help: 'Whether.', reads: 'choice', choices: ['true', 'false'] },
      { name: 'publicKey', help: 'The key.', step: 'signature', reads: 'text', of: 'authentication' },
      { name: 'algorithms', help: 'Only of a registration.', reads: 'text', of: 'registration' },
    ];
    return { status: 200, answer: rows };
  }
  return GONE;
}

export async function drawPage(state: Partial<AppState>, around: object = {}, answered: Parameters<typeof tab>[0]['answer'] = answer) {
  const opened = tab({
    answer: answered,
    state: { server: { ...SERVER, users: [USER, ...OTHER_USERS] }, personas: PERSONAS, mutations: CATALOGUE, ...state },
  });
  const autofill = createAutofill(opened.app);
  const page = await draw(opened.app, h(Page as ComponentType<Parameters<typeof Page>[0]>, { autofill }), around);
  await page.happen(() => {});
  return { ...page, ...opened };
}

export const shows = async (text: string, file: string) =>
  await expect(`${withoutLocale(text)}\n`).toMatchFileSnapshot(`drawn/${file}.txt`);

export const CREATED = {
  stored: 1,
  stream: [streamEntry('e1', { at: AT.first, finished_at: AT.first })],
};
