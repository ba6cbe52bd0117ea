import { describe } from 'vitest';
import { startWebauthnIo } from '../../../targets/webauthn-io.js';
import { prove } from './prove.js';

describe('a server of the shape of webauthn.io, by its profile', () => {
  prove({ name: 'webauthn.io', start: startWebauthnIo });
});
