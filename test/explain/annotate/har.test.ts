import { describe, expect, test } from 'vitest';
import { harCeremonies, harFindings } from '../../../src/explain/annotate/har.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { JSON_SAMPLES, text } from './samples.js';

const { registration, authentication } = JSON_SAMPLES;
const creation = JSON_SAMPLES['creation-options'];
const request = JSON_SAMPLES['request-options'];

interface Body {
  readonly text?: string;
  readonly encoding?: string;
  readonly params?: readonly unknown[];
}

const archive = (...entries: readonly { readonly sent?: Body; readonly received?: Body }[]) => ({
  log: {
    entries: entries.map(({ sent, received }) => ({
      startedDateTime: '2026-01-15T10:30:00.000Z',
      request: {
        method: 'POST',
        url: 'https://example.org/api',
        headers: [{ name: 'Origin', value: 'https://example.org' }],
        ...(sent && { postData: sent }),
      },
      response: { status: 200, content: received ?? { size: 0 } },
    })),
  },
});

const found = (body: Body) => harFindings(archive({ received: body })).map(({ found: { kind, json } }) => ({ kind, json }));

describe('the bodies of real archives', () => {
  test.each<[string, Body]>([
    ['JSON', { text: JSON.stringify(request) }],
    ['in base64', { text: encodeBase64(text(request)), encoding: 'base64' }],
    ['behind a guard against scripts', { text: `)]}'\n${JSON.stringify(request)}` }],
    ['behind a loop', { text: `for (;;);${JSON.stringify(request)}` }],
    ['in a batch', { text: JSON.stringify([{ id: 1 }, { id: 2, result: { publicKey: request } }]) }],
    ['of GraphQL', { text: JSON.stringify({ data: { viewer: { login: { options: { publicKey: request } } } } }) }],
    ['as text inside JSON', { text: JSON.stringify({ options: JSON.stringify({ publicKey: request }) }) }],
    ['in a form', { text: `csrf=1%25&options=${encodeURIComponent(JSON.stringify(request))}` }],
    [
      'in the fields of a form',
      {
        params: [
          { name: 'csrf', value: '1' },
          { name: 'o', value: JSON.stringify(request) },
        ],
      },
    ],
  ])('%s', (_, body) => {
    expect(found(body)).toEqual([{ kind: 'request-options', json: request }]);
  });

  test.each<[string, string]>([
    ['in a script', `<script>const o = { publicKey: ${JSON.stringify(request)}, };</script>`],
    ['in JSON of a page', `<!doctype html><script type="application/json">${JSON.stringify({ options: request })}</script>`],
    ['in an attribute', `<form data-options="${JSON.stringify(request).replaceAll('"', '&quot;')}">`],
  ])('options %s', (_, page) => {
    expect(found({ text: page })).toEqual([{ kind: 'request-options', json: request }]);
  });

  test.each<[string, Body]>([
    ['HTML', { text: '<!doctype html><title>x</title>' }],
    ['a form with broken escapes', { text: 'a=%zz&b=%' }],
    ['JSON of something else', { text: '{"timeout":1,"extensions":{},"hints":[]}' }],
    ['an image', { text: 'iVBORw0KGgo=', encoding: 'base64' }],
    ['nothing', {}],
    ['a script that makes options', { text: '<script>get({ publicKey: { challenge: "a" + b, rpId } })</script>' }],
    ['a form with client data alone', { text: 'clientDataJSON=eyJ9&csrf=1' }],
    ['JSON too deep for anybody', { text: '{"a":'.repeat(5000) + '1' + '}'.repeat(5000) }],
  ])('%s has nothing', (_, body) => {
    expect(found(body)).toEqual([]);
  });
});

test('holds each of several ceremonies against the options with its challenge', () => {
  const har = archive(
    { received: { text: JSON.stringify(request) } },
    { received: { text: JSON.stringify({ publicKey: creation }) } },
    { sent: { text: JSON.stringify({ credential: registration }) }, received: { text: '{"ok":true}' } },
    { sent: { text: JSON.stringify(authentication) } },
    { sent: { text: JSON.stringify(authentication) } },
  );
  const ceremonies = harCeremonies(harFindings(har));
  expect(ceremonies.map(({ kind, options }) => [kind, options])).toEqual([
    ['registration', creation],
    ['authentication', request],
    ['authentication', request],
  ]);
  expect(ceremonies[0]).toMatchObject({ origin: 'https://example.org', at: Date.UTC(2026, 0, 15, 10, 30) });
});

const login = { ...authentication.response };
const created = { ...registration.response };
const urlEncoded = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString();
const multipart = (fields: Readonly<Record<string, string>>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--b1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--b1--\r\n`;
const parts = (fields: Readonly<Record<string, string>>) => Object.entries(fields).map(([name, value]) => ({ name, value }));

const LOGINS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Keycloak: {
    clientDataJSON: login.clientDataJSON,
    authenticatorData: login.authenticatorData,
    signature: login.signature,
    credentialId: authentication.id,
    userHandle: login.userHandle ?? '',
    error: '',
  },
  'Spring Security before 6.4': {
    clientDataJSON: login.clientDataJSON,
    authenticatorData: login.authenticatorData,
    signature: login.signature,
    credentialId: authentication.id,
    clientExtensionsJSON: '{}',
    _csrf: 'c1',
  },
  SimpleSAMLphp: {
    response_id: authentication.id,
    client_data_raw: login.clientDataJSON,
    authenticator_data: login.authenticatorData,
    signature: login.signature,
    type: 'public-key',
  },
  Rails: {
    authenticity_token: 't1',
    'credential[id]': authentication.id,
    'credential[rawId]': authentication.id,
    'credential[type]': 'public-key',
    'credential[response][clientDataJSON]': login.clientDataJSON,
    'credential[response][authenticatorData]': login.authenticatorData,
    'credential[response][signature]': login.signature,
  },
  'ASP.NET': {
    'Input.Credential.Id': authentication.id,
    'Input.Credential.Response.ClientDataJson': login.clientDataJSON,
    'Input.Credential.Response.AuthenticatorData': login.authenticatorData,
    'Input.Credential.Response.Signature': login.signature,
  },
};

describe.each(Object.entries(LOGINS))('a form with the fields of %s', (_, fields) => {
  test.each<[string, Body]>([
    ['as text', { text: urlEncoded(fields) }],
    ['in parts', { text: multipart(fields) }],
    ['as a list', { params: parts(fields) }],
    [
      'as a list of encoded values',
      { params: parts(fields).map(({ name, value }) => ({ name: encodeURIComponent(name), value: encodeURIComponent(value) })) },
    ],
  ])('%s', (_way, sent) => {
    const [only, ...others] = harFindings(archive({ sent }));
    expect(others).toEqual([]);
    expect(only?.found).toMatchObject({
      kind: 'authentication',
      json: {
        id: authentication.id,
        response: { clientDataJSON: login.clientDataJSON, authenticatorData: login.authenticatorData, signature: login.signature },
      },
      credential: { clientDataJSON: { decoded: { ok: true } }, authenticatorData: { decoded: { ok: true } } },
    });
  });
});

test.each<[string, Readonly<Record<string, string>>]>([
  [
    'of Keycloak',
    {
      clientDataJSON: created.clientDataJSON,
      attestationObject: created.attestationObject,
      publicKeyCredentialId: registration.id,
      transports: 'internal,hybrid',
      error: '',
    },
  ],
  [
    'without an ID',
    { clientDataJSON: created.clientDataJSON, attestationObject: created.attestationObject, transports: '["internal","hybrid"]' },
  ],
  [
    'in brackets',
    {
      'c[id]': registration.id,
      'c[response][clientDataJSON]': created.clientDataJSON,
      'c[response][attestationObject]': created.attestationObject,
      'c[response][transports][]': 'internal',
    },
  ],
])('a form with a registration %s', (_, fields) => {
  const [only] = harFindings(archive({ sent: { text: urlEncoded(fields) } }));
  expect(only?.found).toMatchObject({
    kind: 'registration',
    json: { id: registration.id, response: { clientDataJSON: created.clientDataJSON, transports: expect.arrayContaining(['internal']) } },
    credential: { attestedData: { ok: true } },
  });
});

test('options of a page of Keycloak', () => {
  const page = `<html><script type="module">const input = {
    challenge : '${creation.challenge}',
    userid : '${creation.user.id}', username : 'ada',
    signatureAlgorithms : [-7, -257,],
    rpEntityName : 'keycloak', rpId : 'example.org',
    userVerificationRequirement : 'required', createTimeout : 0, excludeCredentialIds : '${registration.id}',
  };</script>`;
  expect(found({ text: page })).toMatchObject([
    {
      kind: 'creation-options',
      json: {
        challenge: creation.challenge,
        rp: { id: 'example.org' },
        user: { id: creation.user.id },
        pubKeyCredParams: [{ alg: -7 }, { alg: -257 }],
        excludeCredentials: [{ id: registration.id }],
      },
    },
  ]);
});

test('a flat payload of an app', () => {
  const payload = {
    credentialId: authentication.id,
    clientDataJSON: login.clientDataJSON,
    authenticatorData: login.authenticatorData,
    signature: login.signature,
  };
  expect(found({ text: JSON.stringify({ username: 'ada', passkey: payload }) })).toMatchObject([
    { kind: 'authentication', json: { id: authentication.id, response: { signature: login.signature } } },
  ]);
});
