import { asObject } from '../../src/kernel/json-value.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { encodeClientData } from '../../src/webauthn/client-data.js';
import { APP_ORIGIN, APP_URL, Service } from '../server/app.js';
import { makeAttestationObject } from './makers.js';
import { hold, type Parser } from './parser.js';

let service: Promise<Service> | undefined;

/** An attestation object on its whole way: in a registration whose challenge is right, through HTTP, every step and the library. */
export const registration: Parser = {
  name: 'registration',
  make: makeAttestationObject,
  async read(bytes) {
    service ??= Service.start();
    const server = await service;
    const { challenge } = asObject((await server.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json());
    const clientData = encodeClientData({ type: 'webauthn.create', challenge: String(challenge), origin: APP_ORIGIN });
    const id = encodeBase64url(new Uint8Array(32));
    const response = { clientDataJSON: encodeBase64url(clientData), attestationObject: encodeBase64url(bytes) };
    const answer = await server.post('/api/passkeys/register', { id, rawId: id, type: 'public-key', response });
    hold(answer.statusCode < 500, `no registration is a ${answer.statusCode}: ${answer.body.slice(0, 500)}`);
    return answer.statusCode === 200 ? 'registered' : String(asObject(answer.json())['code']);
  },
};
