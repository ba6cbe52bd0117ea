import { describe } from 'vitest';
import { Service } from '../../../server/app.js';
import { startFido2 } from '../../../targets/fido2.js';
import { startFido2Lib } from '../../../targets/fido2-lib.js';
import { listen, type Target } from '../../../targets/http.js';
import { prove } from './prove.js';

/** The FIDO server API of passkey itself. */
async function startOwn(): Promise<Target> {
  let service: Service | undefined;
  const target = await listen(async (url) => {
    service = await Service.start({ settings: { fidoApi: true, origin: url } });
    const { app } = service;
    await app.ready();
    return (request, response) => {
      app.routing(request, response);
    };
  });
  return {
    url: target.url,
    async close() {
      await target.close();
      await service?.app.close();
    },
  };
}

describe('a FIDO server over @simplewebauthn/server, by its profile', () => {
  prove({ name: 'fido2', start: () => startFido2() });
});

describe('a FIDO server over fido2-lib, by its profile', () => {
  prove({
    name: 'fido2',
    start: startFido2Lib,
    // It knows TPM keys that are RSA only.
    formats: ['none', 'packed', 'fido-u2f'],
  });
});

describe('the FIDO server API of passkey, by its profile', () => {
  prove({ name: 'fido2', start: startOwn });
});
