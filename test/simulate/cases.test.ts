import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS, FAILED_CHECKS } from '../../src/errors.js';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { runCase } from '../../src/simulate/cases/case.js';
import { createKeySource, type Playhouse } from '../../src/simulate/cases/stage.js';
import { startInProcess } from '../../src/simulate/in-process.js';

let playhouse: Playhouse;
beforeAll(() => {
  playhouse = { server: startInProcess(), remote: undefined, newPrivateKey: createKeySource() };
});
afterAll(() => playhouse.server.close());

describe('each case goes as it says', () => {
  it.each(ALL_CASES.map((played) => [played.id, played] as const))('%s', async (_, played) => {
    expect(await runCase(played, playhouse)).toEqual({ status: 'passed' });
  });
});

describe('the cases', () => {
  const codes = new Set(ALL_CASES.flatMap(({ expected }) => (expected.outcome === 'rejected' ? [expected.code] : [])));

  it('have names of their own', () => {
    const ids = ALL_CASES.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const id of ids) expect(id).toMatch(/^(register|verify|login|session|http)\.[a-z0-9-]+$/);
  });

  it('have more than forty invalid ceremonies, most with the step that they violate', () => {
    const invalid = ALL_CASES.filter(({ id, expected }) => expected.outcome === 'rejected' && !id.startsWith('http.'));
    expect(invalid.length).toBeGreaterThanOrEqual(40);
    expect(invalid.filter(({ expected }) => expected.outcome === 'rejected' && expected.step !== undefined).length).toBeGreaterThanOrEqual(
      40,
    );
  });

  it('cover every code of a failed check', () => {
    // allowCredentials of a given endpoint names the one credential to which the challenge is bound, so challenge_unknown comes first.
    const unreachable = ['credential_not_allowed'];
    expect(Object.keys(FAILED_CHECKS).filter((code) => !codes.has(code) && !unreachable.includes(code))).toEqual([]);
  });

  it("cover every other outcome of the API's table", () => {
    const api = ['malformed_json', 'unauthenticated', 'origin_not_allowed', 'host_not_allowed', 'passkey_not_found', 'route_not_found'];
    const more = [
      'method_not_allowed',
      'credential_already_registered',
      'payload_too_large',
      'unsupported_media_type',
      'validation_failed',
    ];
    const faults = ['rate_limited', 'internal_error', 'store_unavailable'];
    const table = [...api, ...more, ...faults];
    expect(table.filter((code) => !codes.has(code))).toEqual([]);
    expect(table.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  });
});
