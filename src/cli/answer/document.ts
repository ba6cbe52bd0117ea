import { rowOf } from '../credential-rows.js';
import type { CredentialAnswer } from '../schemas/credentials.js';
import type { Answered, Answering } from './answer.js';
import type { FoundOptions } from './options.js';

/** An answer with what it comes from, as `--json` and `POST /dev/answer` give it. */
export function documentOf({ remarks }: FoundOptions, { persona }: Answering, { ceremony, response, source }: Answered): CredentialAnswer {
  return { ceremony, response, credential: rowOf(source), persona: persona ?? null, tamper: null, remarks: [...remarks] };
}
