import { readyRegistration } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { createBrowser } from '../engine/ceremony.js';
import { flowCase } from '../engine/flows.js';
import { refused } from '../engine/outcome.js';
import { notApplicable } from '../engine/scenario.js';

const EXCLUDED = refused('attestation_format_unsupported', 'attestation-format');

/** Attestations that the software authenticator can make, each with its statement format. */
const ATTESTATIONS = [
  ['packed-x5c', 'packed'],
  ['fido-u2f', 'fido-u2f'],
  ['tpm', 'tpm'],
  ['android-key', 'android-key'],
  ['apple', 'apple'],
] as const;

/** Says why the cases do not apply: a server that accepts registrations without attestation does not restrict authenticators by format. */
const lacksPolicy: NonNullable<Case['lacks']> = ({ has }) =>
  has.formats?.includes('none') === false ? undefined : 'the target takes registrations without attestation (formats), as its policy may';

/** Makes a registration with this attestation, whatever formats the profile lists. */
const registration = (attestation: (formats: readonly string[]) => (typeof ATTESTATIONS)[number][0] | 'none' | undefined) =>
  async function run(context: Parameters<Case['run']>[0]) {
    const { has } = context.driver;
    const reason = lacksPolicy(context.driver);
    if (reason !== undefined) throw notApplicable(reason);
    const chosen = attestation(has.formats ?? []);
    if (chosen === undefined) throw notApplicable('the target takes every format that the software authenticator makes');
    const browser = createBrowser(context, { authenticator: { attestation: chosen } });
    const ready = await readyRegistration(context, await context.session(1), { browser, wants: { attestation: 'direct' } });
    return ready.send();
  };

/** Registrations whose attestation format the target's policy excludes. */
export const EXCLUDED_FORMATS: readonly Case[] = [
  flowCase({
    id: 'register.format-none-excluded',
    title: 'a registration without attestation, at a server that takes none without',
    why: 'Options that ask for attestation are a wish: a client may send none, and an attacker does. Where only some authenticators may register, refuse the format none in the answer.',
    tags: ['attestation'],
    expected: EXCLUDED,
    lacks: lacksPolicy,
    run: registration(() => 'none'),
  }),
  flowCase({
    id: 'register.format-other-excluded',
    title: 'a genuine statement in a format that the server does not take',
    why: 'A policy that names formats trusts what they prove. Hold the format of the statement against the list of your policy, not against what the library can read.',
    tags: ['attestation'],
    expected: EXCLUDED,
    lacks: lacksPolicy,
    run: registration((formats) => ATTESTATIONS.find(([, format]) => !formats.includes(format))?.[0]),
  }),
];
