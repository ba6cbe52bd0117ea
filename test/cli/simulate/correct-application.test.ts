import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createAttestationAuthority } from '../../../src/authenticator/attestation/authority.js';
import { readProfile } from '../../../src/simulate/target/read-profile.js';
import { withLibraryTrust } from '../../authenticator/attestation/library-trust.js';
import { startCorrectApplication } from '../../targets/correct-application.js';
import { quick, thorough } from '../../thorough.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

withLibraryTrust(createAttestationAuthority().root);

const FORMATS = ['none', 'packed', 'fido-u2f', 'tpm', 'android-key'];

/** Runs the catalogue, or what patterns choose of it, against a correct application that takes one format. */
async function simulate(format: string, patterns: readonly string[] = []) {
  const target = await startCorrectApplication([format]);
  try {
    const folder = await tempFolder();
    const { profile } = await readProfile('simplewebauthn', '.');
    const has = { ...profile.has, formats: [format], trust: 'test' };
    await writeFile(join(folder, 'profile.json'), JSON.stringify({ ...profile, has }));
    const argv = ['simulate', ...patterns, '--target', 'profile.json', '--url', target.url, '--json'];
    const { code, stdout, stderr } = await runIn(folder, argv);
    const { findings, summary } = JSON.parse(stdout);
    return { code, stderr, findings, summary };
  } finally {
    await target.close();
  }
}

interface Found {
  readonly cause: string;
  readonly title: string;
  readonly cases: readonly string[];
}

/** Findings that are not known faults of the library. */
const ofTheApplication = (findings: readonly Found[]) => findings.filter(({ cause }) => !cause.startsWith('library '));

const SOME = [
  '*.default',
  'register.challenge-unknown',
  'register.credential-known',
  'login.counter-r*',
  'register.options-of-another-user',
];

quick.each(FORMATS.filter((_, index) => index % 3 === 0))(
  'a correct application over SimpleWebAuthn that takes %s alone passes',
  async (format) => {
    const { code, findings, summary } = await simulate(format, SOME);
    expect({ code, findings: ofTheApplication(findings) }).toEqual({ code: 0, findings: [] });
    expect(summary.passed).toBeGreaterThan(5);
  },
);

thorough.each(FORMATS)('a correct application over SimpleWebAuthn that takes %s alone passes the whole catalogue', async (format) => {
  const { code, findings, summary } = await simulate(format);
  expect({ code, findings: ofTheApplication(findings) }).toEqual({ code: 0, findings: [] });
  expect(summary.passed).toBeGreaterThan(300);
});
