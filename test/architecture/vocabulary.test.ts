import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as enumerations from '../../src/webauthn/enumerations.js';
import { CREDENTIAL_PROTECTION } from '../../src/webauthn/extensions.js';

const src = resolve(import.meta.dirname, '../../src');
const texts = new Map(
  readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [
      path
        .slice(src.length + 1)
        .split(sep)
        .join('/'),
      readFileSync(path, 'utf8'),
    ]),
);
const filesWith = (holds: (text: string) => boolean) => [...texts].filter(([, text]) => holds(text)).map(([file]) => file);

/** Values that make an enumeration known where all of them are written in one file. */
const { listNames } = enumerations;
const ENUMERATIONS = {
  attachments: enumerations.ATTACHMENTS.map((value) => `${value}`),
  conveyances: enumerations.ATTESTATION_CONVEYANCES,
  'requirement levels': enumerations.REQUIREMENT_LEVELS,
  transports: enumerations.TRANSPORTS,
  hints: listNames(enumerations.HINTS),
  mediations: enumerations.MEDIATIONS,
  formats: enumerations.ATTESTATION_FORMAT_IDS,
  'protection policies': listNames(CREDENTIAL_PROTECTION),
};
/** The verifiers of the formats, keyed by them, with a type that lets none be forgotten. */
const KEYED_BY_TABLE: readonly string[] = ['relying-party/attestation/verify-attestation.ts'];

describe('one fact, one place', () => {
  test.each(Object.entries(ENUMERATIONS))('%s are listed in one file', (name, values) => {
    const one = name === 'protection policies' ? 'webauthn/extensions.ts' : 'webauthn/enumerations.ts';
    // A set of values side by side; a comparison with one of them is no list.
    const side = values.map((value) => `'?${value}'?`).join('|');
    const list = new RegExp(`(?:(?:${side})[\\s,|:(){}\\w.'"-]{1,40}?){${values.length}}`);
    const copies = filesWith((text) => values.every((value) => text.includes(`'${value}'`)) && list.test(text));
    expect(copies.filter((file) => file !== one && !KEYED_BY_TABLE.includes(file))).toEqual([]);
  });

  test.each<[string, RegExp, readonly string[]]>([
    [
      'what an object is',
      /typeof (\w+) [!=]== 'object' (?:&&|\|\|) \1 [!=]== null (?:&&|\|\|) !?Array\.isArray\(\1\)/,
      ['kernel/json-value.ts'],
    ],
    ['the plural', /=== 1n? \? '' : 's'/, ['kernel/wording.ts']],
    ['times in words', /toISOString\(\)\.(?:slice|replace)/, ['kernel/wording.ts']],
    ['127.0.0.0/8', /127\\\.|startsWith\('127|'::1'/, ['webauthn/loopback.ts']],
    ['the names below localhost', /=== 'localhost'(?! \?)|\(localhost\|/, ['webauthn/loopback.ts']],
    ['the length of a credential ID', /(?<!& )\b1023\b(?! bytes| with --port)/, ['webauthn/limits.ts']],
    ['the greatest sign count', /0xffffffff\b|4294967295/, ['webauthn/limits.ts']],
    ['the bits of flags', /0b0010_0010|\buv: 0x04\b|'UV'/, ['webauthn/authenticator-data.ts']],
    ['names of curves', /'prime256v1'|'secp384r1'/, ['webauthn/algorithms.ts']],
  ])('%s is said in one file', (_what, pattern, files) => {
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    expect(filesWith((text) => pattern.test(code(text)))).toEqual(files);
  });
});
