import { describe } from 'vitest';
import { WEBAUTHN_IO_SHAPE_FAULTS } from '../../../targets/known-faults.js';
import { startWebauthnIo } from '../../../targets/webauthn-io.js';
import { prove } from './prove.js';
import { proveWholeRun } from './whole-run.js';

describe('a server of the shape of webauthn.io, by its profile', () => {
  prove({ name: 'webauthn.io', start: startWebauthnIo });
});

proveWholeRun({ of: 'the shape of webauthn.io', name: 'webauthn.io', start: startWebauthnIo, faults: WEBAUTHN_IO_SHAPE_FAULTS });
