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
    expected: Type.Enum(['refused', 'accepted'], { description: 'What a correct relying party does.' }),
    code: orNull(Type.String({ description: 'Error code of the API of passkey serve.' })),
    tests: orNull(TestedStepSchema),
    why: orNull(Type.String({ description: 'Why it matters, and what to change in a relying party that decides otherwise.' })),
    requires: Type.Array(Type.String(), { description: 'What the relying party must do for this to hold; empty: nothing special.' }),
    disputed: orNull(Type.String({ description: 'Why a correct relying party may decide otherwise.' })),
    signed_again: Type.Boolean({
      description: 'It takes the private key, or another authenticator: a software authenticator must answer.',
    }),
    in_browser: Type.Boolean({ description: 'POST /dev/tamper makes it to the response of any authenticator, without its private key.' }),
    unfit: Type.Optional(Type.String({ description: 'GET /dev/mutations: why it shows nothing at this server.' })),
    asks: Type.Object(
      {
        options: Type.Object({}, { description: 'Members that the options must have.' }),
        login: orNull(Type.Enum(['named', 'discoverable'], { description: 'Whether request options must name the credential.' })),
        endpoint: Type.Enum(['login', 'verify'], { description: 'Of the API of passkey serve.' }),
        persona: orNull(Type.String({ description: 'Whose credential fits.' })),
        algorithms: orNull(Type.Array(Type.Integer(), { description: 'COSEAlgorithmIdentifiers, of which the credential has one.' })),
      },
      { ...strict, description: 'What the ceremony must be like for the change to fit.' },
    ),
  },
  { ...strict, description: 'A change that --tamper makes.' },
);
export type MutationRow = Static<typeof mutation>;

export const mutationList = Type.Array(mutation, {
  title: 'passkey credential answer --list-tampers --json, and the answer of GET /dev/mutations',
});

export const credentialAnswer = Type.Object(
  {
    ceremony: Type.Enum(CEREMONIES),
    response: Type.Object({}, { description: 'RegistrationResponseJSON or AuthenticationResponseJSON; with --tamper perhaps neither.' }),
    honest: Type.Optional(Type.Object({}, { description: 'With --tamper: the response before the change.' })),
    credential: credentialRow,
    persona: orNull(Type.String()),
    tamper: orNull(mutation),
    remarks: Type.Array(Type.String(), { description: 'What a browser or its page puts up with in the options.' }),
  },
  { ...strict, title: 'passkey credential answer --json, and the answer of POST /dev/answer' },
);

/** Describes a response and its origin, as `--json` and `POST /dev/answer` return them. */
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

/** Describes a mutation, as `--json` and `GET /dev/mutations` return it. */
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
