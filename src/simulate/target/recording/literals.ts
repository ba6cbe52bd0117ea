import type { HarEntry } from '../../../explain/annotate/har-entries.js';

/** Members of WebAuthn options that are written as literals in a page's scripts. */
export interface PageLiterals {
  readonly algorithms: readonly number[];
  readonly userVerification: string | undefined;
  readonly residentKey: string | undefined;
  readonly attestation: string | undefined;
}

/**
 * Reads members of WebAuthn options from literals in the scripts and pages of a recording. If a member occurs with different values, its
 * value counts as unknown.
 */
export function readLiterals(entries: readonly HarEntry[]): PageLiterals {
  const scripts = entries.flatMap(({ response: { body = '' } }) => (/navigator\.credentials|pubKeyCredParams/.test(body) ? [body] : []));
  const find = (pattern: RegExp) => [...new Set(scripts.flatMap((script) => [...script.matchAll(pattern)].map(([, value = '']) => value)))];
  const only = (member: string) => {
    const [value, ...others] = find(new RegExp(`\\b${member}["']?\\s*:\\s*["']([a-z]+)["']`, 'g'));
    return others.length === 0 ? value : undefined;
  };
  return {
    algorithms: find(/\balg["']?\s*:\s*(-\d+)/g).map(Number),
    userVerification: only('userVerification'),
    residentKey: only('residentKey'),
    attestation: only('attestation'),
  };
}
