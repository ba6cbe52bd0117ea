import type { Case } from '../engine/case.js';
import { authenticationCase } from '../engine/ceremony-cases.js';
import { denied } from '../engine/compare-answer.js';
import { setClientData } from '../engine/edits.js';

/** Invalid in ways that only an authentication can be; the rest is in invalid-ceremonies.ts. */
export const INVALID_AUTHENTICATIONS: readonly Case[] = [
  authenticationCase({
    id: 'login.type-swapped',
    title: 'client data of a registration',
    edits: { clientData: setClientData({ type: 'webauthn.create' }) },
    expected: denied('type_mismatch', 'type'),
  }),
];
