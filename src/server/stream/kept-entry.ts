import type { Static } from 'typebox';
import * as Type from 'typebox';
import { orNull } from '../../kernel/schema-kit.js';
import { CEREMONIES } from '../../webauthn/enumerations.js';
import { STREAM_CHANGES } from '../schemas/stream.js';
import { END_FORM, type End } from './end-text.js';
import type { Outside } from './outside-port.js';

/** Characters of a line of the file: reading a longer one would keep the server from its other work. */
export const LONGEST_LINE = 512 * 1024;

export const NOTHING_KEPT: Kept = { method: null, path: null, title: null, options: null, change: null, end: null };

/** The parts of an answer that hold a challenge that is still good: the relying party never came to take it. */
export interface Withheld {
  /** That of the options. */
  readonly options: boolean;
  /** The client data, which may name that or another. */
  readonly response: boolean;
}

/** Without challenges that are still good: neither where they were sent nor where they came back. */
export function withoutOpen(kept: Kept, { options, response }: Withheld): Kept {
  const { end } = kept;
  if (end === null) return kept;
  const ceremony = options ? end.ceremony && { ...end.ceremony, challenge: null } : end.ceremony;
  return { ...kept, end: { ...end, ceremony, ...(response && { response: null }) } };
}

// What is kept of an entry beside its line: as JSON, in memory and in the file.

const text = orNull(Type.String());

/** Tells an end of this form; what else is in it is as this program wrote it. */
const EndMark = Type.Object({
  form: Type.Literal(END_FORM),
  outcome: Type.Enum(['verified', 'rejected']),
  kind: Type.Enum([...CEREMONIES]),
});

export const Kept = Type.Object({
  method: text,
  path: text,
  title: text,
  /** Options of a ceremony that has not been answered; without the challenge. */
  options: orNull(Type.Record(Type.String(), Type.Unknown())),
  change: orNull(Type.Object({ type: Type.Enum([...STREAM_CHANGES]), reason: text })),
  end: orNull(Type.Unsafe<End>(EndMark)),
  outside: Type.Optional(Type.Unsafe<Outside>(Type.Object({}))),
});
export type Kept = Static<typeof Kept>;
