import { isObject } from '../kernel/json-value.js';
import { registrableDomain } from '../webauthn/registrable-suffix.js';
import { parseUrl } from '../webauthn/rp-id.js';
import { domException } from './members.js';
import { isStrings } from './reading.js';
import { type FetchPort, fetchWellKnown } from './well-known.js';

/** §5.11.1: how many registrable origin labels a client reads at least. Browsers read no more. */
const MAX_LABELS = 5;

/**
 * The related origins validation procedure (W3C WebAuthn L3 §5.11.1): whether the site of the RP ID lists the caller's origin.
 *
 * @param refused begins the message.
 * @returns the RP ID.
 * @throws DOMException `SecurityError`.
 */
export async function checkRelatedOrigin(fetch: FetchPort, origin: string, rpId: string, refused: string): Promise<string> {
  const url = `https://${rpId}/.well-known/webauthn`;
  const document = await fetchWellKnown(fetch, url, refused);
  const origins = isObject(document) ? document['origins'] : undefined;
  if (!isStrings(origins)) throw domException('SecurityError', `${refused} Expected ${url} to have a list of texts in "origins".`);
  if (!isListed(origins, origin)) {
    const detail = `${url} does not list ${origin} among the first ${MAX_LABELS} labels of domains.`;
    throw domException('SecurityError', `${refused} ${detail}`);
  }
  return rpId;
}

function isListed(origins: readonly string[], origin: string): boolean {
  const labels = new Set<string>();
  for (const item of origins) {
    const url = parseUrl(item);
    // The registrable origin label: `example` of `www.example.co.uk`.
    const label = url && registrableDomain(url.hostname)?.split('.')[0];
    if (label === undefined || (labels.size >= MAX_LABELS && !labels.has(label))) continue;
    if (url?.origin === origin) return true;
    labels.add(label);
  }
  return false;
}
