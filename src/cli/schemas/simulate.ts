import type { Static } from 'typebox';
import * as Type from 'typebox';
import { orNull, strict } from '../../kernel/schema-kit.js';

export const profileWritten = Type.Object(
  {
    file: Type.String({ description: 'The profile that was written.' }),
    url: orNull(Type.String({ description: 'What --url should be, where a recording shows it.' })),
    notes: Type.Array(Type.String(), { description: 'What to know or to look at.' }),
  },
  { ...strict, title: 'passkey simulate --init-profile --json' },
);
export type ProfileWritten = Static<typeof profileWritten>;
