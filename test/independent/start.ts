import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FaultId } from './faults.js';
import type { Policy } from './party.js';
import { listen, type RunningParty } from './server.js';

export interface StartOptions {
  readonly faults?: readonly FaultId[];
  /** `roots` in PEM; default: what the built `passkey attestation-root` prints. */
  readonly policy?: Partial<Policy> & { readonly roots?: readonly string[] };
  /** Milliseconds since the epoch; default: the clock. */
  now?(): number;
}

const BIN = fileURLToPath(new URL('../../bin/passkey.js', import.meta.url));

let testRoot: Promise<string> | undefined;

/** The root of the software authenticator's attestations. The verifying code knows nothing of where it is from. */
async function readTestRoot(): Promise<string> {
  testRoot ??= promisify(execFile)(process.execPath, [BIN, 'attestation-root']).then(({ stdout }) => stdout);
  return await testRoot;
}

/**
 * Starts a relying party that shares no code with the project: a correct one, or one with the faults that are named.
 *
 * @returns its URL and the bearer tokens of its two users; `close` ends it
 */
export async function startIndependentServer({ faults = [], policy = {}, now }: StartOptions = {}): Promise<RunningParty> {
  const { roots = [await readTestRoot()], ...rest } = policy;
  return await listen({
    faults: new Set(faults),
    policy: rest,
    roots: roots.map((pem) => new X509Certificate(pem)),
    ...(now && { now }),
  });
}
