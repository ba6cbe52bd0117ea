import type { EitherAttempt } from '../engine/attempts.js';
import { hashText, setRpIdHash } from '../engine/authenticator-data-edits.js';
import type { Case } from '../engine/case.js';
import { setClientData } from '../engine/client-data-edits.js';
import { type CommonEdits, setMembers } from '../engine/edits.js';
import { bothFlows } from '../engine/flows.js';
import type { RequestForgery } from '../target/driver.js';
import { OTHER_SITE, readHost } from './client-data/origin-edits.js';

const OTHER_HOST = readHost(OTHER_SITE);

/** Request body members in which some real pages send their origin or RP ID along with the response. Here they name another site. */
const BODY = {
  origin: OTHER_SITE,
  expectedOrigin: OTHER_SITE,
  rpId: OTHER_HOST,
  rpID: OTHER_HOST,
  rp_id: OTHER_HOST,
  expectedRPID: OTHER_HOST,
};

const withHeaders =
  (headers: Readonly<Record<string, string>>): RequestForgery =>
  (request) => ({ ...request, headers: { ...request.headers, ...headers } });

/** Headers and other parts of a request in which a case names another site. */
const PLACES: readonly RequestForgery[] = [
  withHeaders({ origin: OTHER_SITE, referer: `${OTHER_SITE}/` }),
  withHeaders({
    'x-forwarded-host': OTHER_HOST,
    'x-forwarded-server': OTHER_HOST,
    'x-original-host': OTHER_HOST,
    'x-forwarded-proto': 'https',
    forwarded: `host=${OTHER_HOST};proto=https`,
  }),
];

const RP_ID = { authenticatorData: setRpIdHash(hashText(OTHER_HOST)) } satisfies CommonEdits;
const ORIGIN = { clientData: setClientData({ origin: OTHER_SITE }) } satisfies CommonEdits;
const IN_BODY = { response: setMembers(BODY) } satisfies CommonEdits;

/** Sends responses made for another site, one after another, until the target accepts one. */
async function sendUntilAccepted(ready: (edits: CommonEdits) => Promise<EitherAttempt>, rows: readonly CommonEdits[]) {
  const attempts = [
    ...rows.flatMap((edits) => PLACES.map((forgery) => ({ edits, forgery }))),
    ...rows.map((edits) => ({ edits: { ...edits, ...IN_BODY }, forgery: undefined })),
  ];
  let last;
  for (const { edits, forgery } of attempts) {
    const attempt = await ready(edits);
    last = await attempt.send(forgery && attempt.session.forging(forgery));
    if (last.outcome !== 'refused') return last;
  }
  return last;
}

const WHY =
  'An attacker controls the request as well as the response, so both can name the attacker’s site. Take the RP ID and the origins that you expect from your configuration, never from a header or the body.';

/**
 * Cases in which a request names the origin or RP ID that the server should expect. The server must ignore these values (§7.1 steps 9 and
 * 14, §7.2 steps 12 and 15).
 */
export const EXPECTED_BY_REQUEST: readonly Case[] = [
  ...bothFlows({
    what: 'rp-id-hash-in-request',
    title: 'the RP ID hash of another site, which the request also names',
    why: WHY,
    code: 'rp_id_mismatch',
    step: 'rp-id-hash',
    run: ({ ready }) => sendUntilAccepted(ready, [RP_ID]),
  }),
  ...bothFlows({
    what: 'site-in-request',
    title: 'origin and RP ID of another site, which the request also names',
    why: WHY,
    code: 'origin_mismatch',
    step: 'origin',
    run: ({ ready }) => sendUntilAccepted(ready, [{ ...RP_ID, ...ORIGIN }]),
  }),
  ...bothFlows({
    what: 'origin-in-body',
    title: 'a page of another site, whose origin the body also names',
    why: WHY,
    code: 'origin_mismatch',
    step: 'origin',
    async run({ ready }) {
      const attempt = await ready({ ...ORIGIN, ...IN_BODY });
      return attempt.send();
    },
  }),
];
