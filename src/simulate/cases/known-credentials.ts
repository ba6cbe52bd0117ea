import type { Case } from '../engine/case.js';
import { beginRegistration, createBrowser } from '../engine/ceremony.js';
import { padded, withChallenge } from '../engine/edits.js';
import { flowCase, readyRegistration, sendRegistration } from '../engine/flows.js';
import { expectTrue, refused } from '../engine/outcome.js';

const KNOWN = refused('credential_already_registered', 'credential-id-unused', 409);

/** Of as many bytes as base64 has padding for. */
const PADDED = { authenticator: { credentialIdLength: 32 } } as const;

/** §7.1 steps 1 and 27: a credential that is registered already is neither made nor taken again. */
export const KNOWN_CREDENTIALS: readonly Case[] = [
  flowCase({
    id: 'register.exclude-credentials',
    title: 'the options of a second registration exclude the first passkey',
    step: 'credential-id-unused',
    disputed: 'excludeCredentials is recommended (§5.4), and not required.',
    why: 'Without it users make a second passkey where they have one, and cannot tell the two apart. List the passkeys of the user in excludeCredentials.',
    tags: ['registration'],
    async run(context) {
      const session = await context.session(1);
      const ready = await readyRegistration(context, session);
      const answer = await sendRegistration(ready);
      const { excludeCredentials = [] } = await beginRegistration(context, session);
      const ids = excludeCredentials.map(({ id }) => id);
      const id = String(ready.body.id);
      return [
        { what: 'the first registration', answer },
        { mismatches: expectTrue('excludeCredentials', `with ${id}`, ids, ids.includes(id)) },
      ];
    },
  }),
  flowCase({
    id: 'register.credential-known-respelled',
    title: 'a credential that is already registered, with its ID in padded base64url',
    why: 'Two texts can stand for one ID: compared as text, the second one is new, and replaces or shadows the credential. Compare the bytes, best those of the attested credential data.',
    tags: ['registration'],
    expected: KNOWN,
    async run(context) {
      const session = await context.session(1);
      const ready = await readyRegistration(context, session, { browser: createBrowser(context, PADDED) });
      const first = await sendRegistration(ready);
      const { challenge } = await beginRegistration(context, session);
      const id = padded(String(ready.body.id));
      // With format none nothing is signed.
      const body = { ...withChallenge(ready.body, challenge), id, rawId: id };
      const again = await sendRegistration({ session, body });
      return [
        { what: 'the first registration', answer: first },
        { what: 'the second', answer: again, expected: KNOWN },
      ];
    },
  }),
];
