import { equalBytes } from '../../kernel/bytes.js';
import { ATTESTATION_EXTENSION } from '../../webauthn/attestation-extensions.js';
import { AAGUID_BYTES } from '../../webauthn/limits.js';
import { readyRegistration } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { createBrowser, listModels } from '../engine/ceremony.js';
import type { Demands } from '../engine/demands.js';
import { editInner, flipBit, type RegistrationEdits, setInner, setMembers } from '../engine/edits.js';
import { flowCase } from '../engine/flows.js';
import { refused } from '../engine/outcome.js';
import { notApplicable } from '../engine/scenario.js';
import { withoutExtension } from './attestation/makers/certified.js';
import { packed } from './attestation/makers/statements.js';
import { attestAnew, setAaguid } from './attestation/row.js';

type Has = Parameters<NonNullable<Case['lacks']>>[0]['has'];
type Context = Parameters<Case['run']>[0];

const lacksModels: NonNullable<Case['lacks']> = ({ has }) =>
  has.models === undefined
    ? { reason: 'not judged: the profile does not say which authenticator models may register (models)', member: 'has.models' }
    : undefined;

const includes = (all: readonly Uint8Array[], aaguid: Uint8Array) => all.some((one) => equalBytes(one, aaguid));

/** Makes an AAGUID that is not on the target's list of models, but differs from a listed one only in its last bits. */
function findOther(has: Has): Uint8Array {
  const models = listModels(has);
  let other = models[0] ?? new Uint8Array(AAGUID_BYTES);
  for (let byte = -1; includes(models, other); byte--) other = flipBit(byte)(other);
  return other;
}

/** Attestations whose certificate names the authenticator model. */
const CERTIFIED = ['packed-x5c', 'tpm', 'android-key', 'apple'] as const;

/**
 * Chooses an attestation that tells this target the authenticator model: one with a certificate if the target accepts test certificates,
 * otherwise self attestation.
 */
function attestationOfModel({ formats = [], trust, selfAttestation }: Has): (typeof CERTIFIED)[number] | 'packed' | undefined {
  if (trust === 'other') return formats.includes('packed') && selfAttestation !== false ? 'packed' : undefined;
  return CERTIFIED.find((name) => formats.includes(name === 'packed-x5c' ? 'packed' : name));
}

interface Registration {
  readonly attestation?: (typeof CERTIFIED)[number] | 'packed' | 'none';
  readonly wants?: Demands;
  readonly edits?: RegistrationEdits;
}

async function readyModel(context: Context, { attestation, ...change }: Registration) {
  const browser = createBrowser(context, attestation && { authenticator: { attestation } });
  return readyRegistration(context, await context.session(1), { browser, ...change });
}

const toSigned = (aaguid: Uint8Array): RegistrationEdits => ({ authenticatorData: setAaguid(aaguid) });

const EXCLUDED = refused('attestation_untrusted', 'attestation-trust');
const READ =
  'Check the AAGUID of the signed authenticator data against the list, and nothing else: members of the JSON are not signed, and certificates need not name a model.';

const modelCase = (spec: Omit<Parameters<typeof flowCase>[0], 'tags' | 'expected' | 'lacks'>) =>
  flowCase({
    ...spec,
    tags: ['attestation'],
    expected: EXCLUDED,
    lacks: lacksModels,
    async run(context) {
      const reason = lacksModels(context.driver);
      if (reason !== undefined) throw notApplicable(reason);
      return spec.run(context);
    },
  });

/** Registrations of authenticator models that the target's list of models excludes (`has.models`). */
export const EXCLUDED_MODELS: readonly Case[] = [
  modelCase({
    id: 'register.model-other',
    title: 'a genuine statement of a model that is not on the list',
    why: `A site has a list of models because it must know which authenticators its users have. ${READ} Compare all 16 bytes.`,
    async run(context) {
      const { has } = context.driver;
      const attestation = attestationOfModel(has);
      if (attestation === undefined) {
        throw notApplicable('the target accepts no attestation with which our software authenticator names a model');
      }
      return (await readyModel(context, { attestation, wants: { attestation: 'direct' }, edits: toSigned(findOther(has)) })).send();
    },
  }),
  modelCase({
    id: 'register.model-without-extension',
    title: 'a genuine statement of a model that is not on the list, whose certificate names no model',
    why: `The certificate extension with the AAGUID may be absent (§8.2.1), and a check against that extension then excludes no model. ${READ}`,
    wants: { format: 'packed', certificates: true },
    async run(context) {
      const { honest, source, send } = await readyModel(context, { wants: { attestation: 'direct' }, attestation: 'none' });
      const make = packed({ leaf: withoutExtension(ATTESTATION_EXTENSION.aaguid) });
      const row = { make, authenticatorData: setAaguid(findOther(context.driver.has)) };
      return send(undefined, { ...(await attestAnew(row, honest, source, Date.now)) });
    },
  }),
  modelCase({
    id: 'register.model-unattested',
    title: 'a registration without attestation, of no model or of one that is not on the list',
    why: 'If you do not check the list for registrations without attestation, or for an AAGUID of zeros, it excludes no model: an attacker sends no statement. Refuse every model that is not on the list, whatever the format. If the model matters, refuse the format none too.',
    wants: { format: 'none' },
    async run(context) {
      const { has } = context.driver;
      const zeros = new Uint8Array(AAGUID_BYTES);
      const others = [findOther(has), ...(includes(listModels(has), zeros) ? [] : [zeros])];
      for (const aaguid of others) {
        const answer = await (await readyModel(context, { attestation: 'none', edits: toSigned(aaguid) })).send();
        if (answer.outcome !== 'refused' || aaguid === others.at(-1)) return answer;
      }
      return undefined;
    },
  }),
  modelCase({
    id: 'register.model-in-copy',
    title: 'a model that is not on the list, and a listed one in unsigned members',
    why: `The page writes the members of the JSON, so an attacker's page can name a model there that you accept. ${READ}`,
    async run(context) {
      const { has } = context.driver;
      const [listed = new Uint8Array(AAGUID_BYTES)] = listModels(has);
      const named = { aaguid: has.models?.[0], authenticatorAaguid: has.models?.[0] };
      const response: RegistrationEdits['response'] = (body) =>
        setMembers(named)(setInner(named)(editInner('authenticatorData', setAaguid(listed))(body)));
      return (await readyModel(context, { edits: { ...toSigned(findOther(has)), response } })).send();
    },
  }),
];
