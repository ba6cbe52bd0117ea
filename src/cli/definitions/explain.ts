import type { Command } from 'commander';
import { EXPECTATION_MEMBERS } from '../../explain/expectation-members.js';
import { MAX_JSON_VALUES } from '../../kernel/json-value.js';
import { MAX_CERTIFICATE_BYTES, MAX_DOCUMENT_BYTES, MAX_STRUCTURE_BYTES } from '../../kernel/limits.js';
import type { Io } from '../io.js';
import { addExpectations } from './expectations.js';
import { collect, type Does, examples, remarks } from './options.js';

export function defineExplain(program: Command, io: Io, does: Does): void {
  addExpectations(
    program.command('explain <file...>').description('decode any WebAuthn data, and run every step of the standard on a ceremony'),
  )
    .option(EXPECTATION_MEMBERS.metadata.flag, `${EXPECTATION_MEMBERS.metadata.meaning}; needs --metadata-root`)
    .option('--metadata-root <file>', 'root that the BLOB must lead to: of the FIDO Alliance it is GlobalSign Root R3', collect)
    .option(EXPECTATION_MEMBERS.aaguidNames.flag, EXPECTATION_MEMBERS.aaguidNames.meaning)
    .option('--json', 'print one JSON document; one a line for folders, JSON lines, archives and several files')
    .addHelpText(
      'after',
      remarks(
        'FILE is a file, a folder of fixtures, or - for standard input. Recognised by themselves: responses of create() and get(), options, fixtures, JSON lines of them, HTTP archives (HAR), what the test page copies as JSON, attestation objects, authenticator data, client data, COSE keys and certificates; as JSON, PEM, base64, base64url, hexadecimal or bytes.',
        `JSON may have ${mebibytes(MAX_DOCUMENT_BYTES)} and ${MAX_JSON_VALUES} values, and HTTP archives more; a certificate ${MAX_CERTIFICATE_BYTES} bytes, anything else ${mebibytes(MAX_STRUCTURE_BYTES)}.`,
        'Exits 0 when no ceremony is rejected, 1 when one is, or was refused by the server of its recording, 2 when an input cannot be explained. Where something that decides was not given, the verdict is undecided.',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'passkey explain fixtures/recorded',
        'passkey explain response.json --rp-id example.org --origin https://example.org --challenge 3q2-7w…',
        'passkey explain login.json --rp-id example.org --origin https://example.org --challenge 3q2-7w… --public-key registration.json',
        'pbpaste | passkey explain -',
        'passkey explain options.json --json',
      ),
    )
    .action(does(async (flags, names) => (await import('../commands/explain.js')).run(io, flags, names)));
}

function mebibytes(bytes: number): string {
  return `${bytes / 2 ** 20} MiB`;
}
