import type { Ceremony } from './ceremonies.js';
import type { Party } from './party.js';

/** §13.4.9: the origin is, as a text, one that the relying party expects. */
export function originFits(sent: unknown, ceremony: Ceremony, header: string | undefined, party: Party): boolean {
  const { faults, policy } = party;
  if (sent === undefined) return faults.has('origin-absent-accepted');
  if (typeof sent !== 'string') return false;
  const others = faults.has('origin-of-another-app') ? ceremony.originsSeen : [];
  const expected = [...(policy.origins ?? [ceremony.origin]), ...others];
  if (faults.has('origin-from-header') && header === sent) return true;
  if (faults.has('origin-null-accepted') && sent === 'null') return true;
  if (faults.has('origin-of-any-loopback') && hostOf(sent) === 'localhost') return true;
  if (faults.has('origin-of-subdomain') && hostOf(sent)?.endsWith(`.${ceremony.rpId}`)) return true;
  if (faults.has('origin-of-parent-domain') && ceremony.rpId.endsWith(`.${hostOf(sent) ?? ''}`)) return true;
  return expected.some((one) => sameOrigin(sent, one, party));
}

function sameOrigin(sent: string, expected: string, { faults }: Party): boolean {
  const host = new URL(expected).host;
  const [a, b] = [parse(sent), new URL(expected)];
  return (
    sent === expected ||
    (faults.has('origin-by-prefix') && sent.startsWith(expected)) ||
    (faults.has('origin-by-suffix') && sent.endsWith(host)) ||
    (faults.has('origin-by-substring') && sent.includes(host)) ||
    (faults.has('origin-case-folded') && sent.toLowerCase() === expected.toLowerCase()) ||
    (faults.has('origin-without-port') && a !== undefined && `${a.protocol}//${a.hostname}` === `${b.protocol}//${b.hostname}`) ||
    (faults.has('origin-without-scheme') && a !== undefined && a.host === host) ||
    (faults.has('origin-parsed-as-url') && a?.origin === b.origin) ||
    // A dot in the pattern stands for any character: it was never escaped.
    (faults.has('origin-as-pattern') && new RegExp(`^${expected}$`).test(sent))
  );
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

export const hostOf = (text: string): string | undefined => parse(text)?.hostname;
