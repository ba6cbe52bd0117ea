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

/**
 * Explains why the cases do not apply to a target that accepts registrations without attestation: it does not restrict authenticators by
 * attestation format.
 */
const lacksPolicy: NonNullable<Case['lacks']> = ({ has }) =>
  has.formats?.includes('none') === false
    ? undefined
    : 'the target accepts registrations without attestation (formats), which its policy may allow';

/**
 * Makes the `run` function of a case. It registers with the attestation that `attestation` chooses, given the formats that the target
 * accepts.
 */
const registration = (attestation: (formats: readonly string[]) => (typeof ATTESTATIONS)[number][0] | 'none' | undefined) =>
  async function run(context: Parameters<Case['run']>[0]) {
    const { has } = context.driver;
    const reason = lacksPolicy(context.driver);
    if (reason !== undefined) throw notApplicable(reason);
    const chosen = attestation(has.formats ?? []);
    if (chosen === undefined) throw notApplicable('the target accepts every format that the software authenticator makes');
    const browser = createBrowser(context, { authenticator: { attestation: chosen } });
    const ready = await readyRegistration(context, await context.session(1), { browser, wants: { attestation: 'direct' } });
    return ready.send();
  };

/** Registrations whose attestation format the target's policy excludes. */
export const EXCLUDED_FORMATS: readonly Case[] = [
  flowCase({
    id: 'register.format-none-excluded',
    title: 'a registration without attestation, at a server that requires attestation',
    why: 'Requesting attestation does not enforce it: a client may send none, and an attacker will. If only some authenticators may register, refuse responses with the format none.',
    tags: ['attestation'],
    expected: EXCLUDED,
    lacks: lacksPolicy,
    run: registration(() => 'none'),
  }),
  flowCase({
    id: 'register.format-other-excluded',
    title: 'a genuine statement in a format that the server does not accept',
    why: 'A policy that lists formats relies on what they prove. Check the format of the statement against the list in your policy, not against the formats that your library can read.',
    tags: ['attestation'],
    expected: EXCLUDED,
    lacks: lacksPolicy,
    run: registration((formats) => ATTESTATIONS.find(([, format]) => !formats.includes(format))?.[0]),
  }),
];
