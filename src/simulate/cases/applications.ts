import { prepareActor, readyLogin, readyRegistration } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { findSource, performed } from '../engine/ceremony.js';
import { setClientData } from '../engine/client-data-edits.js';
import { editAuthentication } from '../engine/edits.js';
import { flowCase } from '../engine/flows.js';
import { denied, refused } from '../engine/outcome.js';
import { notApplicable } from '../engine/scenario.js';
import type { Begun } from '../target/driver.js';
import { OTHER_SITE } from './client-data/origin-edits.js';
import { DISCOVERABLE } from './values.js';

const OTHER = { origin: OTHER_SITE };
const SEVERAL = { applications: 'several' } as const;
const clientData = setClientData({ origin: OTHER_SITE });

const MIXED =
  'The operator of one application could use the passkeys of the others. Store the origin and the RP ID with the challenge, and accept only those of this ceremony.';

/**
 * Returns the options that the target issued for the other application. Ends the case if the target serves no application at that origin.
 */
function served<T>({ answer, options }: Begun<T>): T {
  if (answer.outcome !== 'accepted' || options === undefined) throw notApplicable('the target serves no application at another origin');
  return options;
}

/** Cases for a target that serves several applications, each with its own origin and RP ID. */
export const APPLICATIONS: readonly Case[] = [
  flowCase({
    id: 'register.origin-of-another-application',
    title: 'the origin of another application that the server serves',
    wants: SEVERAL,
    why: MIXED,
    expected: refused('origin_mismatch', 'origin'),
    async run(context) {
      const session = await context.session(1);
      served(await session.fork().beginRegistration(OTHER));
      return (await readyRegistration(context, session, { edits: { clientData } })).send();
    },
  }),
  flowCase({
    id: 'login.origin-of-another-application',
    title: 'the origin of another application that the server serves',
    wants: { ...SEVERAL, login: 'discoverable' },
    why: MIXED,
    expected: denied('origin_mismatch', 'origin'),
    async run(context) {
      const actor = await prepareActor(context, await context.session(1), { traits: DISCOVERABLE });
      served(await actor.session.newVisit().beginAuthentication('discoverable', undefined, OTHER));
      return (await readyLogin(actor, { wants: { login: 'discoverable' }, edits: { clientData } })).send();
    },
  }),
  flowCase({
    id: 'login.passkey-of-another-application',
    title: "a passkey at another application than its own, with the hash of its own application's RP ID",
    wants: { ...SEVERAL, login: 'discoverable' },
    why: 'A passkey is valid only for its own RP ID. A server that compares with the RP ID stored with the passkey lets the passkeys of one application log in at every other. Compare with the RP ID of the options.',
    expected: denied('challenge_unknown', 'challenge'),
    async run(context) {
      const { session, browser, passkey } = await prepareActor(context, await context.session(1), { traits: DISCOVERABLE });
      const visit = session.newVisit();
      const options = served(await visit.beginAuthentication('discoverable', undefined, OTHER));
      // The assertion of a passkey for its own RP ID, with the challenge and the origin of the other application.
      const honest = await performed(context, browser.ownPage.get({ publicKey: { ...options, rpId: passkey.rpId } }));
      const source = await findSource(browser, passkey.rpId, honest.id);
      return visit.finishAuthentication(await editAuthentication(honest, source, { clientData }));
    },
  }),
];
