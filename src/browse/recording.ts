import { NOTHING_EXPECTED } from '../explain/expectations.js';
import { importCeremonies } from '../explain/recording/import.js';
import { addParts, type Parts } from '../explain/recording/parts.js';
import type { Fixture } from '../fixture/format.js';
import type { RecordingTool } from '../fixture/recorded-ceremony.js';
import { encodeUtf8 } from '../kernel/bytes.js';
import type { EndedCeremony } from './ceremony.js';

interface RecordingOptions {
  readonly tool: RecordingTool;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
}

/** A fixture, or the reason why none could be made. */
export type RecordedFixture = { readonly fixture: Fixture } | { readonly reason: string };

/** Makes a fixture of a ceremony. The outcome that the fixture expects is the verdict of the WebAuthn steps. */
export async function recordCeremony({ archive, kind, origin }: EndedCeremony, { tool, now }: RecordingOptions): Promise<RecordedFixture> {
  if (archive === undefined) return { reason: 'The ceremony got no response.' };
  const parts: Parts = { credentials: [], options: [] };
  addParts(parts, { name: origin, bytes: encodeUtf8(JSON.stringify(archive)) });
  const options = { given: NOTHING_EXPECTED, name: undefined, tool, now, options: [], registrations: [] };
  const { imported, refused } = await importCeremonies(parts, options);
  // The other one is the registration of the credential.
  const found = imported.find(({ fixture }) => fixture.kind === kind);
  if (found !== undefined) return { fixture: found.fixture };
  return { reason: refused.find((each) => each.kind === kind)?.reason ?? 'The same ceremony was recorded before.' };
}
