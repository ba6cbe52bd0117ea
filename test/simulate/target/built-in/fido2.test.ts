import { describe } from 'vitest';
import { Service } from '../../../server/app.js';
import { startFido2 } from '../../../targets/fido2.js';
import { FIDO2_LIB_ALGORITHMS, fido2Lib } from '../../../targets/fido2-lib.js';
import { listen, type Target } from '../../../targets/http.js';
import { FIDO2_LIB_FAULTS, FIDO2_SHAPE_FAULTS } from '../../../targets/known-faults.js';
import { prove } from './prove.js';
import { proveWholeRun } from './whole-run.js';

const startFido2Lib = () => startFido2({ verifier: fido2Lib, algorithms: FIDO2_LIB_ALGORITHMS });

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

proveWholeRun({ of: 'a FIDO server over @simplewebauthn/server', name: 'fido2', start: () => startFido2(), faults: FIDO2_SHAPE_FAULTS });

describe('a FIDO server over fido2-lib, by its profile', () => {
  prove({
    name: 'fido2',
    start: startFido2Lib,
    // It knows TPM keys that are RSA only.
    formats: ['none', 'packed', 'fido-u2f'],
  });
});

proveWholeRun({ of: 'a FIDO server over fido2-lib', name: 'fido2', start: startFido2Lib, faults: FIDO2_LIB_FAULTS });

describe('the FIDO server API of passkey, by its profile', () => {
  prove({ name: 'fido2', start: startOwn });
});
