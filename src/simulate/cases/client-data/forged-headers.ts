import type { Case } from '../../engine/case.js';
import { setClientData } from '../../engine/edits.js';
import { bothFlows } from '../../engine/flows.js';
import { denied, refused } from '../../engine/outcome.js';
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

function toCases({ headers, ...row }: HeaderRow): Case[] {
  const forgery: RequestForgery = (request) => ({ ...request, headers: { ...request.headers, ...headers } });
  return bothFlows({
    ...row,
    why: WHY,
    expected: { register: refused(...WRONG), login: denied(...WRONG) },
    async run({ ready, send }) {
      const { session, body } = await ready({ clientData });
      return send({ session: session.forging(forgery), body });
    },
  });
}

/** §7.1 step 9, §7.2 step 12: the origin that is expected is no matter of the request. */
export const FORGED_HEADERS: readonly Case[] = ROWS.flatMap(toCases);
