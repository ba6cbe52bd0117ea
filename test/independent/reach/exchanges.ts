import { ORIGIN } from '../craft/scene.js';
import type { FaultId } from '../faults.js';
import type { Policy } from '../party.js';
import { AUTHENTICATION } from './authentication.js';
import { AUTHENTICATOR_DATA } from './authenticator-data.js';
import { CHALLENGES, CLIENT_DATA } from './client-data.js';
import type { Exchange } from './exchange-table.js';
import { FORMATS } from './formats.js';
import { PACKED } from './packed.js';
import { KEYS, OBJECTS } from './registration.js';
import { TRUST } from './trust.js';

/** Every fault with one crafted exchange: a fault without one does not compile. */
export const EXCHANGES: Readonly<Record<FaultId, Exchange>> = {
  ...CLIENT_DATA,
  ...CHALLENGES,
  ...AUTHENTICATOR_DATA,
  ...KEYS,
  ...OBJECTS,
  ...TRUST,
  ...PACKED,
  ...FORMATS,
  ...AUTHENTICATION,
};

/** What an operator must have decided for a fault to matter. */
export const POLICIES: Readonly<Partial<Record<FaultId, Partial<Policy>>>> = {
  'top-origin-by-prefix': { topOrigins: ['https://top.example'] },
  'rp-id-hash-from-client-origin': { origins: [ORIGIN, 'https://other.example'] },
};
