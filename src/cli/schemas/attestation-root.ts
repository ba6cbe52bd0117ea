import type { Static } from 'typebox';
import * as Type from 'typebox';
import { orNull, strict } from '../../kernel/schema-kit.js';

export const attestationRoot = Type.Object(
  {
    format: Type.Enum(['pem', 'statement', 'blob', 'blob-root']),
    content: Type.String({ description: 'PEM with comments, the metadata statement as JSON text, or the BLOB as JWT.' }),
    root: Type.Object(
      {
        subject: Type.String(),
        not_before: Type.String({ format: 'date-time' }),
        not_after: Type.String({ format: 'date-time' }),
      },
      { ...strict, description: 'The root certificate: of attestations, with format blob-root that of the BLOB.' },
    ),
    aaguids: Type.Array(Type.String(), { description: 'The models that a statement or BLOB is about.' }),
    seed: Type.Enum(['public', 'own'], { description: 'Whether the private key is derived from the public seed or from --seed.' }),
    out: orNull(Type.String({ description: 'The file of --out.' })),
  },
  { ...strict, title: 'passkey attestation-root --json' },
);
export type AttestationRoot = Static<typeof attestationRoot>;
