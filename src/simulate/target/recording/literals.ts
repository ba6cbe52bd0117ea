import type { HarEntry } from '../../../explain/annotate/har-entries.js';

/** Members of options that the scripts of a page write out. */
export interface PageLiterals {
  readonly algorithms: readonly number[];
  readonly userVerification: string | undefined;
  readonly residentKey: string | undefined;
  readonly attestation: string | undefined;
}

/** Reads the members of options that the scripts and pages of a recording spell out. A member with several values counts as unknown. */
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
