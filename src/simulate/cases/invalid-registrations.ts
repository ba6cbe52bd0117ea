import type { Case } from '../engine/case.js';
import { registrationCase } from '../engine/ceremony-cases.js';
import { refused } from '../engine/compare-answer.js';
import { editOrigin, setClientData } from '../engine/edits.js';
import { TOP_ORIGIN } from '../engine/wants.js';

/** Invalid in ways that only a registration can be; the rest is in invalid-ceremonies.ts. */
export const INVALID_REGISTRATIONS: readonly Case[] = [
  registrationCase({
    id: 'register.client-data-without-origin',
    title: 'client data without an origin',
    edits: { clientData: setClientData({ origin: undefined }) },
    expected: refused('client_data_malformed', 'client-data'),
  }),
  registrationCase({
    id: 'register.type-swapped',
    title: 'client data of an authentication',
    edits: { clientData: setClientData({ type: 'webauthn.get' }) },
    expected: refused('type_mismatch', 'type'),
  }),
  registrationCase({
    id: 'register.origin-trailing-slash',
    title: 'an origin with a trailing slash',
    edits: { clientData: editOrigin((origin) => `${origin}/`) },
    expected: refused('origin_mismatch', 'origin'),
  }),
  registrationCase({
    id: 'register.top-origin-without-cross-origin',
    title: 'a top-level origin in client data that is not cross-origin',
    edits: { clientData: setClientData({ topOrigin: TOP_ORIGIN }) },
    expected: refused('top_origin_mismatch', 'top-origin'),
  }),
];
