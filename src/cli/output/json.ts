import { type Io, print } from '../io.js';
import { toJson } from './printable.js';

/** The one document of a `--json` command. */
export function printJson(io: Io, document: unknown): void {
  print(io, toJson(document, 2));
}
