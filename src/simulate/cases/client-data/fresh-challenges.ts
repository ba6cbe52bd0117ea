import type { Case } from '../../engine/case.js';
import { beginAuthentication, beginRegistration, createBrowser, performed } from '../../engine/ceremony.js';
import { flowCase, prepareActor, sendLogin } from '../../engine/flows.js';
import { expectTrue } from '../../engine/outcome.js';

const FRESH =
  'A challenge that is issued again makes an old response good again (§13.4.3). Draw at least 16 bytes from a cryptographic generator for each set of options.';

/** Open challenges are secret: the report says only whether they are the same. */
const differs = (first: string, second: string) =>
  expectTrue('the challenge of the next options', 'another one', first === second ? 'the same' : 'another one', first !== second);

/** §7.1 step 8, §7.2 step 11: what is compared is new each time. */
export const FRESH_CHALLENGES: readonly Case[] = [
  flowCase({
    id: 'register.challenge-fresh',
    title: 'options after a registration, with a challenge of their own',
    step: 'challenge',
    why: FRESH,
    tags: ['registration'],
    async run(context) {
      const session = await context.session(1);
      const publicKey = await beginRegistration(context, session);
      const answer = await session.finishRegistration({
        ...(await performed(context, createBrowser(context).ownPage.create({ publicKey }))),
      });
      const { challenge } = await beginRegistration(context, session);
      return [{ what: 'the first registration', answer }, { mismatches: differs(publicKey.challenge, challenge) }];
    },
  }),
  flowCase({
    id: 'login.challenge-fresh',
    title: 'options after a login, with a challenge of their own',
    step: 'challenge',
    why: FRESH,
    tags: ['authentication'],
    async run(context) {
      const { session, browser, passkey } = await prepareActor(context, await context.session(1));
      const visit = session.newVisit();
      const publicKey = await beginAuthentication(context, visit, passkey);
      const body = { ...(await performed(context, browser.ownPage.get({ publicKey }))) };
      const answer = await sendLogin({ session: visit, body });
      const { challenge } = await beginAuthentication(context, session.newVisit(), passkey);
      return [{ what: 'the first login', answer }, { mismatches: differs(publicKey.challenge, challenge) }];
    },
  }),
];
