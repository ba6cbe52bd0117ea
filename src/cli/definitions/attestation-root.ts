import type { Command } from 'commander';
import type { Io } from '../io.js';
import { collect, type Does, examples, remarks } from './options.js';

export function defineAttestationRoot(program: Command, io: Io, does: Does): void {
  program
    .command('attestation-root')
    .description('print the TEST root that attestations of the software authenticator lead to')
    .option('--format <what>', 'pem, statement, blob or blob-root (default: pem)')
    .option('--aaguid <aaguid>', 'model that the statement or BLOB is about; may be given several times for a BLOB', collect)
    .option('--seed <text>', 'seed of an authority of your own, instead of the public one')
    .option('--out <file>', 'write to this file instead of standard output')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      remarks(
        'The root is for tests only: its private key is derived from a seed that everybody can read, so anybody can forge what it attests. Never trust it in production. With --seed the key is as secret as the seed, but RSA attestation keys are public all the same.',
        'pem is the root certificate. statement is a FIDO metadata statement of one model, blob a signed metadata BLOB as the FIDO Alliance publishes it, and blob-root the root of its signature. Without --aaguid they are about the AAGUID of all zeros, and the BLOB about the personas too. The same seed always gives the same bytes.',
        'An authenticator attests with it by createAuthenticator({ attestation: "packed-x5c" }) of passkey-cli/authenticator; with a seed of your own, give it createAttestationAuthority({ seed }) too.',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'passkey attestation-root --out test-root.pem',
        'passkey attestation-root --format statement --aaguid fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
        'passkey attestation-root --format blob --out test-blob.jwt',
        'passkey attestation-root --format blob-root --out test-blob-root.pem',
        'passkey attestation-root --seed "our own tests" --json',
      ),
    )
    .action(does(async (flags) => (await import('../commands/attestation-root.js')).run(io, flags)));
}
