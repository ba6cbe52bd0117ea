import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import type { JsonObject } from '../kernel/json-value.js';
import { orNull, strict } from '../kernel/schema-kit.js';

const text = orNull(Type.String());

const step = Type.Object(
  {
    section: Type.Enum(['7.1', '7.2']),
    number: Type.Integer({ minimum: 1, description: 'Number of the step in the revision that `revision` names.' }),
    slug: Type.String({ description: 'Stable name of the step; the numbers change between revisions.' }),
    title: Type.String(),
    status: Type.Enum(['pass', 'fail', 'skip']),
    expected: text,
    received: text,
    code: orNull(Type.String({ description: 'Error code of the failed step.' })),
    hint: orNull(Type.String({ description: 'How to fix a failed step.' })),
    reason: orNull(Type.String({ description: 'Why a step was skipped.' })),
    open: Type.Boolean({ description: 'True if the verdict depends on the step, but it was skipped because an input was not given.' }),
  },
  strict,
);

const requirement = Type.Object(
  {
    slug: Type.String(),
    reference: Type.String({ description: 'Section that contains the requirement, such as §8.2.1.' }),
    status: Type.Enum(['pass', 'fail', 'skip', 'warn']),
    expected: Type.String(),
    received: Type.String(),
    hint: text,
  },
  strict,
);

const attestation = Type.Object(
  {
    format: Type.String(),
    type: Type.String(),
    verdict: Type.Enum(['accepted', 'rejected', 'undetermined']),
    trust: Type.Enum(['trusted', 'untrusted', 'none', 'not-assessed']),
    x5c: Type.Array(Type.String({ description: 'Certificates in base64 of DER, the attestation certificate first.' })),
    checks: Type.Array(requirement),
  },
  strict,
);

/** One line of the annotated tree, in the JSON output. */
export interface TreeDocument {
  label: string;
  offset: number | null;
  length: number | null;
  value: string | null;
  note: string | null;
  error: string | null;
  children: TreeDocument[];
}

/** The bytes of a ceremony, as {@link Annotation} explains them. */
export interface Unannotated {
  /** A RegistrationResponseJSON or AuthenticationResponseJSON. */
  readonly response?: JsonObject | undefined;
  /** COSE_Key from the credential record, in base64url or base64. */
  readonly publicKey?: string | undefined;
  /** The expected RP ID; the authenticator data should contain its hash. */
  readonly rpId?: string | undefined;
}

/** The decoded bytes of a ceremony, field by field. A missing part is null. */
export interface Annotation {
  readonly response: TreeDocument | null;
  readonly public_key: TreeDocument | null;
  /** SHA-256 of the RP ID, in hexadecimal. */
  readonly rp_id_hash: string | null;
}

const count = orNull(Type.Integer({ minimum: 0 }));
const tree: TSchema = Type.Cyclic(
  {
    Node: Type.Object(
      {
        label: Type.String(),
        offset: count,
        length: count,
        value: text,
        note: text,
        error: text,
        children: Type.Array(Type.Ref('Node')),
      },
      strict,
    ),
  },
  'Node',
);

const knownError = Type.Object(
  {
    from: Type.String({
      description:
        'Program that writes this error: a library, a browser, a system, `an application` or `passkey`; `recording` if only the recorded exchanges show the error.',
    }),
    title: Type.String(),
    causes: Type.Array(Type.String(), { description: 'Possible causes, the likeliest first.' }),
    next: Type.String({ description: 'How to fix the error.' }),
    step: orNull(Type.String({ description: 'Slug of the step that the error is about.' })),
    expectations: Type.Array(Type.Object({ member: Type.String(), flag: Type.String(), value: Type.String() }, strict), {
      description: "The server's expectations as the error states them: suggestions to pass on, which were not used here.",
    }),
    source: orNull(Type.String({ description: 'Repository and file that contain the error text, and their version.' })),
  },
  strict,
);

const document = {
  source: Type.String({ description: 'Path of the input as given; `-` is standard input; JSON lines end in `:LINE`.' }),
  name: orNull(Type.String({ description: 'Name of a fixture, or of a ceremony in an archive.' })),
  input: orNull(Type.Object({ kind: Type.String(), encodings: Type.Array(Type.String()) }, strict)),
  ceremony: orNull(Type.Enum(['registration', 'authentication'])),
  headline: orNull(
    Type.String({
      description:
        'Summary in one sentence: why the server of the site refused the ceremony, why the call in the browser returned no response, or else the result of the verification steps. Null if this server verified the ceremony itself.',
    }),
  ),
  verdict: orNull(
    Type.Enum(['accepted', 'rejected', 'undecided'], {
      description:
        'Verdict of the steps; null for an input that is not a ceremony, and for a call that got no response. undecided: nothing failed, but an essential input was not given or cannot be verified here, or the library refuses for no known reason.',
    }),
  ),
  server: orNull(
    Type.Object(
      {
        status: orNull(Type.Integer({ description: 'HTTP status; null for a pasted response.' })),
        verdict: Type.Enum(['accepted', 'refused', 'failed', 'unknown'], {
          description:
            'refused: the status is 400 to 499, the body says so (`verified`, `success`, `ok`, `valid` or `authenticated` is false, `status` is "failed" or "error", `error` or `errors` is not empty), or a login was redirected to a login or error page. failed: the status is 500 or more. unknown: the recording does not show the verdict.',
        }),
        body: Type.String({ description: 'The body in one line, shortened, without tokens, challenges and the like.' }),
        message: orNull(Type.String({ description: 'The sentence in the body that gives the reason, shortened and without secrets too.' })),
        agrees: orNull(Type.Boolean({ description: "Whether the server's verdict is that of the steps; null while either is open." })),
      },
      { ...strict, description: 'The response of the recorded relying party. It does not affect the verdict here.' },
    ),
  ),
  known_errors: Type.Array(knownError, {
    description:
      "Explanations of the errors in the server's response, or in an explained text; reasons for a call that got no response, the worst first.",
  }),
  revision: Type.String(),
  steps: Type.Array(step),
  library: orNull(Type.Object({ verdict: Type.Enum(['accepted', 'rejected', 'not-asked']), reason: text }, strict)),
  difference: orNull(Type.String({ description: 'Why the library disagrees, if it does.' })),
  attestation: orNull(attestation),
  observations: Type.Array(Type.Object({ slug: Type.String(), message: Type.String() }, strict)),
  encoding: Type.Array(Type.Object({ pointer: Type.String(), mistake: Type.String(), message: Type.String() }, strict)),
  advice: Type.Array(
    Type.Object({ pointer: Type.String(), severity: Type.Enum(['error', 'warning', 'note']), message: Type.String() }, strict),
  ),
  expected: orNull(Type.Record(Type.String(), Type.Unknown(), { description: 'Outcome that a fixture expects.' })),
  error: orNull(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      {
        ...strict,
        description: 'Why there are no steps; or verifiers_disagree: every step accepts, and the library refuses for no known reason.',
      },
    ),
  ),
};

/** The JSON output of `passkey explain --json`. For several inputs, each line contains one document. */
export const explanation = Type.Object({ ...document, tree: orNull(tree) }, { ...strict, title: 'passkey explain --json' });

const withoutTree = Type.Object(document);
export type ExplainDocument = Type.Static<typeof withoutTree> & { tree: TreeDocument | null };

export type KnownError = Type.Static<typeof knownError>;
