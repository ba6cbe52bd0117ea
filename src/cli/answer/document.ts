import type { Static } from 'typebox';
import * as Type from 'typebox';
import { orNull, strict } from '../../kernel/schema-kit.js';
import type { Mutation } from '../../simulate/mutations/mutation.js';
import { TestedStepSchema } from '../../simulate/report/report.js';
import { CEREMONIES } from '../../webauthn/enumerations.js';
import { credentialRow, toCredentialRow } from '../credential-rows.js';
import type { Answered, Answering } from './answer.js';
import type { FoundOptions } from './options.js';

const mutation = Type.Object(
  {
    id: Type.String(),
    ceremony: Type.Enum(CEREMONIES),
    title: Type.String(),
    expected: Type.Enum(['refused', 'accepted'], {
      description: 'Whether a correct relying party accepts or refuses the broken response.',
    }),
    code: orNull(Type.String({ description: 'Error code that the API of passkey serve returns.' })),
    tests: orNull(TestedStepSchema),
    why: orNull(Type.String({ description: 'Why the mistake matters, and what to change in a relying party that decides otherwise.' })),
    requires: Type.Array(Type.String(), {
      description: 'What the relying party must do for this outcome to apply; empty: nothing special.',
    }),
    disputed: orNull(Type.String({ description: 'Why a correct relying party may decide otherwise.' })),
    signed_again: Type.Boolean({
      description: 'The mutation needs the private key, or another authenticator: a software authenticator must respond.',
    }),
    in_browser: Type.Boolean({
      description: 'Whether POST /dev/tamper can apply it to the response of any authenticator, without its private key.',
    }),
    unfit: Type.Optional(Type.String({ description: 'GET /dev/mutations: why the mutation shows nothing at this server.' })),
    asks: Type.Object(
      {
        options: Type.Object({}, { description: 'Members that the options must have.' }),
        login: orNull(Type.Enum(['named', 'discoverable'], { description: 'Whether the request options must name the credential.' })),
        endpoint: Type.Enum(['login', 'verify'], { description: 'Endpoint of the API of passkey serve.' }),
        persona: orNull(Type.String({ description: 'Name of the persona whose credential fits.' })),
        algorithms: orNull(Type.Array(Type.Integer(), { description: 'COSEAlgorithmIdentifiers; the credential must have one of them.' })),
      },
      { ...strict, description: 'Conditions that the ceremony must meet for the change to apply.' },
    ),
  },
  { ...strict, description: 'A change that --tamper makes.' },
);
export type MutationRow = Static<typeof mutation>;

export const mutationList = Type.Array(mutation, {
  title: 'passkey credential answer --list-tampers --json, and the response of GET /dev/mutations',
});

export const credentialAnswer = Type.Object(
  {
    ceremony: Type.Enum(CEREMONIES),
    response: Type.Object({}, { description: 'RegistrationResponseJSON or AuthenticationResponseJSON; with --tamper it may be neither.' }),
    honest: Type.Optional(Type.Object({}, { description: 'With --tamper: the response before the change.' })),
    credential: credentialRow,
    persona: orNull(Type.String()),
    tamper: orNull(mutation),
    remarks: Type.Array(Type.String(), { description: 'Problems in the options that a browser or its page tolerates.' }),
  },
  { ...strict, title: 'passkey credential answer --json, and the response of POST /dev/answer' },
);

/** Describes a response and its origin, in the form that `--json` and `POST /dev/answer` use. */
export function describeAnswer(
  { remarks }: FoundOptions,
  { persona }: Answering,
  { ceremony, response, honest, source, mutation }: Answered,
): Static<typeof credentialAnswer> {
  const tamper = mutation === undefined ? null : mutationRow(mutation);
  return {
    ceremony,
    response,
    ...(honest !== undefined && { honest }),
    credential: toCredentialRow(source),
    persona: persona ?? null,
    tamper,
    remarks: [...remarks],
  };
}

/** Describes a mutation, in the form that `--json` and `GET /dev/mutations` use. */
export function mutationRow({ inBrowser, asks, ...mutation }: Mutation): MutationRow {
  const { id, ceremony, title, expected, code, tests, why, requires, disputed } = mutation;
  return {
    id,
    ceremony,
    title,
    expected,
    code: code ?? null,
    tests: tests ?? null,
    why: why ?? null,
    requires: [...requires],
    disputed: disputed ?? null,
    signed_again: !inBrowser,
    in_browser: inBrowser,
    asks: { ...asks, algorithms: asks.algorithms === null ? null : [...asks.algorithms] },
  };
}
