import assert from 'node:assert/strict';
import { createCeremonies, installCredentials, mutations, startServer, tamper, toWebauthnJson } from 'passkey-cli/testing';

// A registration that a server must accept, and one that it must refuse.
const { response } = await createCeremonies({ origin: 'https://example.org' }).registration();
const refused = await tamper(response, 'register.origin-other-site');
assert.notEqual(refused.response.clientDataJSON, response.response.clientDataJSON);
assert.ok(mutations('registration').length > 100);
assert.equal(toWebauthnJson(response).type, 'public-key');

// navigator.credentials in this process.
const installed = installCredentials({ origin: 'https://example.org' });
assert.equal(typeof navigator.credentials.create, 'function');
installed.uninstall();

// The server of `passkey serve`.
const server = await startServer({ users: ['ada@example.com'] });
const headers = { authorization: `Bearer ${server.tokens['ada@example.com']}` };
assert.equal((await fetch(`${server.url}/api/passkeys`, { headers })).status, 200);
await server.stop();
