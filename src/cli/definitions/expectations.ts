import type { Command } from 'commander';
import { collect } from './options.js';

/** What a ceremony is held against, where its input does not say: read by `readSettings`. */
export function addExpectations(command: Command): Command {
  return command
    .option('--rp-id <id>', 'RP ID that is expected')
    .option('--origin <origin>', 'origin that is expected; may be given several times', collect)
    .option('--challenge <text>', 'challenge that was issued: base64url, base64 or hexadecimal')
    .option('--public-key <key>', 'of a login: the COSE key, or the registration or fixture it came with, as text or file')
    .option('--sign-count <number>', 'of a login: the stored signature counter')
    .option('--require-uv', 'user verification is required')
    .option('--mediation <how>', 'of a registration: "conditional", where create() was called with it; then UP may be unset')
    .option('--top-origin <origin>', 'page that may embed the one that asks; may be given several times', collect)
    .option('--roots <file>', 'attestation roots: PEM, DER or a folder of them; may be given several times', collect)
    .option(
      '--self-attestation <value>',
      'of a registration that attests itself: accept or refuse (default: that of the recording, else accept)',
    )
    .option('--at <time>', 'time of verification, by which certificates are judged (default: that of the recording, else now)');
}
