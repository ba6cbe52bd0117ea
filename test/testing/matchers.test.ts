import { describe, expect, test } from 'vitest';
import { PasskeyError } from '../../src/errors.js';
import { explain } from '../../src/explain/library.js';
import { createCeremonies } from '../../src/testing/ceremonies.js';
import { matchers } from '../../src/testing/matchers.js';
import { startServer } from '../../src/testing/start-server.js';
import { tamper } from '../../src/testing/tamper.js';

const judge = (received: unknown, slug: string) => {
  const { pass, message } = matchers.toFailAtStep(received, slug);
  return [pass, message()];
};

describe('toFailAtStep', () => {
  test('reads what explain gives', async () => {
    const { response, expected } = await createCeremonies().registration();
    const changed = await explain(await tamper(response, 'origin-other-site'), { ...expected });
    expect(judge(changed, 'origin')).toEqual([
      true,
      expect.stringMatching(/^Expected another failed step than "origin", got "origin": expected .+, received .+\.$/),
    ]);
    expect(judge(changed, 'challenge')).toEqual([
      false,
      expect.stringMatching(/^Expected the failed step "challenge", got "origin": expected /),
    ]);
    expect(judge(await explain(response, { ...expected, algorithms: [-7] }), 'origin')).toEqual([
      false,
      'Expected the failed step "origin", got the verdict "accepted" without a failed step.',
    ]);
  });

  test('reads a problem document of the API', async () => {
    await using server = await startServer({ users: ['ada@example.com'] });
    const call = async (path: string, body: unknown): Promise<object> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${server.tokens['ada@example.com']}` };
      const answer = await fetch(`${server.url}/api/passkeys${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return Object(await answer.json());
    };
    const { response } = await createCeremonies({ origin: server.url }).registration(
      await call('/register/options', { app_name: 'App', app_url: server.url }),
    );
    expect(judge(await call('/register', await tamper(response, 'type-empty')), 'type')[0]).toBe(true);
    expect(judge(await call('/register', {}), 'type')).toEqual([
      false,
      'Expected the failed step "type", got a refusal with the code validation_failed, which is not a step of the procedure.',
    ]);
  });

  test('reads an error', () => {
    const step = { section: '7.1', number: 9, slug: 'origin', title: 't', expected: 'a', received: 'b', hint: 'h' } as const;
    expect(judge(new PasskeyError('origin_mismatch', 'm', { step }), 'origin')[0]).toBe(true);
  });

  test('says what it cannot read, and which step may be meant', () => {
    expect(judge('text', 'orgin')).toEqual([
      false,
      'Expected the failed step "orgin" (did you mean "origin"?), got neither a PasskeyError, nor a problem document, nor a result of explain().',
    ]);
  });
});
