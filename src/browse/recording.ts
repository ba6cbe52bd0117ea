import { NOTHING_EXPECTED } from '../explain/expectations.js';
import { importCeremonies } from '../explain/recording/import.js';
import { addParts, type Parts } from '../explain/recording/parts.js';
import type { RecordingTool } from '../fixture/recorded-ceremony.js';
import { writeFixture } from '../fixture/write.js';
import { encodeUtf8 } from '../kernel/bytes.js';
import type { EndedCeremony } from './ceremony.js';

interface RecordingOptions {
  readonly folder: string;
  readonly tool: RecordingTool;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Writes a ceremony as a fixture, which expects what the steps say. @returns its path, or why there is none. */
export async function recordCeremony(
  { archive, kind, origin }: EndedCeremony,
  { folder, tool, now }: RecordingOptions,
): Promise<{ readonly path: string } | { readonly reason: string }> {
  if (archive === undefined) return { reason: 'It was not answered.' };
  const parts: Parts = { credentials: [], options: [] };
  addParts(parts, { name: origin, bytes: encodeUtf8(JSON.stringify(archive)) });
  const options = { given: NOTHING_EXPECTED, name: undefined, tool, now, options: [], registrations: [] };
  const { imported, refused } = await importCeremonies(parts, options);
  // The other one is the registration of the credential.
  const found = imported.find(({ fixture }) => fixture.kind === kind);
  if (found !== undefined) return { path: await writeFixture(folder, found.fixture) };
  return { reason: refused.find((each) => each.kind === kind)?.reason ?? 'It came before.' };
}
