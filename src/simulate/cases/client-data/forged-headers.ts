import type { Case } from '../../engine/case.js';
import { setClientData, withClientData } from '../../engine/edits.js';
import { flowCase, prepareActor, readyLogin, readyRegistration, sendLogin, sendRegistration } from '../../engine/flows.js';
import { denied, type ExpectedAnswer, refused } from '../../engine/outcome.js';
import type { RequestForgery } from '../../target/driver.js';
import { hostOf, OTHER_SITE } from './origin-edits.js';

interface HeaderRow {
  readonly what: string;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
}

const WHY =
  'Headers come from whoever sends the request, as the response does: where both name the origin of the attacker, they agree. Compare C.origin with origins from your configuration, never with what the request says.';

const OTHER_HOST = hostOf(OTHER_SITE);

const ROWS: readonly HeaderRow[] = [
  {
    what: 'origin-in-header',
    title: 'a page of another site, whose origin the headers Origin and Referer name as well',
    headers: { origin: OTHER_SITE, referer: `${OTHER_SITE}/` },
  },
  {
    what: 'origin-in-forwarded-headers',
    title: 'a page of another site, whose host stands in the headers of proxies as well',
    headers: { 'x-forwarded-host': OTHER_HOST, 'x-forwarded-proto': 'https', forwarded: `host=${OTHER_HOST};proto=https` },
  },
];

const clientData = setClientData({ origin: OTHER_SITE });
const WRONG = ['origin_mismatch', 'origin'] as const;

function casesOf({ what, title, headers }: HeaderRow): Case[] {
  const forgery: RequestForgery = (request) => ({ ...request, headers: { ...request.headers, ...headers } });
  const common = (kind: 'register' | 'login', expected: ExpectedAnswer) => ({ id: `${kind}.${what}`, title, why: WHY, expected });
  const [registration, login] = [refused(...WRONG), denied(...WRONG)];
  return [
    flowCase({
      ...common('register', registration),
      tags: ['registration'],
      async run(context) {
        const { session, body } = await readyRegistration(context, await context.session(1));
        const answer = await sendRegistration({ session: session.forging(forgery), body: withClientData(body, clientData) });
        return [{ what: 'the registration', answer, expected: registration }];
      },
    }),
    flowCase({
      ...common('login', login),
      tags: ['authentication'],
      async run(context) {
        const actor = await prepareActor(context, await context.session(1));
        const { session, body } = await readyLogin(actor, { edits: { clientData } });
        return [{ what: 'the login', answer: await sendLogin({ session: session.forging(forgery), body }), expected: login }];
      },
    }),
  ];
}

/** §7.1 step 9, §7.2 step 12: the origin that is expected is no matter of the request. */
export const FORGED_HEADERS: readonly Case[] = ROWS.flatMap(casesOf);
