import { readdir } from 'node:fs/promises';
import { PasskeyError } from '../../errors.js';
import { measure } from '../../simulate/measure.js';
import { probe } from '../../simulate/probe.js';
import { checkAllowed } from '../../simulate/target/allowed.js';
import { BUILT_IN_PROFILES } from '../../simulate/target/built-in.js';
import { compileProfile } from '../../simulate/target/compile-profile.js';
import { openDriver } from '../../simulate/target/open-driver.js';
import type { Measured, ProbeReport } from '../../simulate/target/probe-report.js';
import { isProfile, parseProfile, type ReadProfile, readProfile, writeCapabilities } from '../../simulate/target/read-profile.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { Flags } from '../config/resolve.js';
import { interruptible } from '../interruption.js';
import { type Io, say } from '../io.js';
import { printable } from '../output/printable.js';
import { ownCommand, quoteWord } from '../own-command.js';
import { readRecording } from './profile.js';
import { recogniseLibrary } from './recognise-library.js';
import { readTarget, readTokens, sayPause, toTexts } from './target.js';

/** Maximum number of files in the working directory that are tried as target profiles. */
const MAX_FILES = 50;

/**
 * Separates the server's URL from the case names in the arguments of `passkey simulate`. The URL has the same effect as `--url`.
 *
 * @throws PasskeyError `usage` for two URLs, and for an address without a scheme.
 */
export function separateUrl(flags: Flags, names: readonly string[]): { readonly flags: Flags; readonly names: readonly string[] } {
  const urls = names.filter((name) => /^https?:\/\//i.test(name));
  const address = names.find((name) => /^[\w.-]+:\d+(?:\/|$)/.test(name));
  if (address !== undefined) throw new PasskeyError('usage', `Expected a case or a URL, got ${address}. Is it http://${address}?`);
  const [url] = urls;
  if (url === undefined) return { flags, names };
  if (urls.length > 1) throw new PasskeyError('usage', `Expected one URL, got ${urls.join(' and ')}.`);
  if (flags.url !== undefined) throw new PasskeyError('usage', `Expected the URL once, got ${url} and --url. Leave one out.`);
  return { flags: { ...flags, url }, names: names.filter((name) => name !== url) };
}

interface Tried {
  /** Name of a built-in profile, or name of a file in the working directory. */
  readonly name: string;
  /** Result of the probe with this profile. Undefined if a required flag was missing. */
  readonly report?: ProbeReport;
  /** The flag that the profile needs, or the reason why the profile cannot be tried. */
  readonly missing?: string;
  /** The capabilities that the server showed in the probe. They belong in the member `has` of the profile. */
  readonly measured?: readonly Measured[];
}

/** The flags after the search for a profile. They include `--target` if the profile that was found has a name. */
interface FoundProfile {
  readonly flags: Flags;
  readonly read?: ReadProfile;
}

/**
 * Finds the target profile that fits a server. With `--har`, uses the profile of the recording. Otherwise tries the files in the working
 * directory and the built-in profiles, each with a registration and a login of a test user, and uses the first one that fits. Prints which
 * one fits.
 *
 * @throws PasskeyError `usage` if no profile fits, naming the command that makes one; `target_unreachable` if the server does not respond.
 */
export async function findProfile(io: Io, flags: Flags): Promise<FoundProfile> {
  if (flags.target !== undefined && flags.har !== undefined) {
    throw new PasskeyError('usage', 'Expected --target or --har; got both. Leave one out.');
  }
  if (flags.target !== undefined) return { flags };
  // A list sends nothing.
  if (flags.list === true) return flags.har === undefined ? { flags } : { flags, read: await parseRecording(io, flags) };
  const url = parseUrl(String(flags.url));
  if (url === undefined) throw new PasskeyError('usage', `Expected a URL, got ${String(flags.url)}.`);
  checkAllowed(url, toTexts(flags.allowHost));
  if (flags.har !== undefined) return { flags, read: await measureRecording(io, flags) };
  const files = await listProfiles(io);
  const tried: Tried[] = [];
  for (const name of [...files, ...BUILT_IN_PROFILES]) {
    const read = await readProfile(name, io.cwd);
    const attempt = await tryCandidate(io, { ...flags, target: name }, read);
    if (attempt.report !== undefined && fits(attempt.report)) {
      say(io, printable(`The profile ${name}${files.includes(name) ? '' : ', which is built in,'} fits ${String(flags.url)}.`));
      return { flags: { ...flags, target: name }, read: addLibrary(io, read, attempt.report) };
    }
    tried.push(attempt);
  }
  throw noneFits(io, flags, { files, tried });
}

/** File name that messages about lines of a recording's profile show, since this profile is not in a file. */
const RECORDING = 'recording.json';

const parseRecording = async (io: Io, flags: Flags): Promise<ReadProfile> => parseProfile((await readRecording(io, flags)).text, RECORDING);

/** Makes the target profile of a recording, and adds the capabilities that the server shows in a probe. */
async function measureRecording(io: Io, flags: Flags): Promise<ReadProfile> {
  const { text, notes } = await readRecording(io, flags);
  const read = await parseProfile(text, RECORDING);
  const { report, measured = [] } = await tryProfile(io, flags, read, { measured: true });
  if (report === undefined || !fits(report)) throw recordingUnfit(io, flags, report);
  for (const note of notes) say(io, printable(note));
  say(io, printable(`The profile of the recording ${String(flags.har)} fits ${String(flags.url)}.`));
  return addLibrary(io, await parseProfile(await writeCapabilities(text, RECORDING, measured), RECORDING), report);
}

/**
 * If a profile names no verification library, adds the library that the server's responses reveal. Remedies can then name options of that
 * library.
 */
function addLibrary(io: Io, read: ReadProfile, { steps }: ProbeReport): ReadProfile {
  const name = read.profile.library === undefined ? recogniseLibrary(steps) : null;
  if (name === null) return read;
  say(io, printable(`Its responses are those of ${name}.`));
  return { ...read, profile: { ...read.profile, library: { name } } };
}

async function listProfiles({ cwd }: Io): Promise<readonly string[]> {
  const entries = await readdir(cwd, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile() && /\.(?:json|ya?ml)$/i.test(entry.name)).map(({ name }) => name);
  const profiles = await Promise.all(
    names
      .toSorted()
      .slice(0, MAX_FILES)
      .map(async (name) => ((await isProfile(name, cwd)) ? [name] : [])),
  );
  return profiles.flat();
}

/** Tries a profile with the server. Skips a profile that needs a variable or another flag. */
async function tryCandidate(io: Io, flags: Flags, read: ReadProfile): Promise<Tried> {
  try {
    return await tryProfile(io, flags, read);
  } catch (error) {
    if (!(error instanceof PasskeyError) || error.code !== 'usage') throw error;
    return { name: String(flags.target), missing: error.message };
  }
}

async function tryProfile(io: Io, flags: Flags, read: ReadProfile, { measured = false } = {}): Promise<Tried> {
  const name = String(flags.target ?? flags.har);
  const isWithoutToken = compileProfile(read.profile).uses('user.token') && (await readTokens(io, flags)).length === 0;
  if (isWithoutToken) return { name, missing: '--token' };
  const target = await readTarget(io, flags, read);
  if (target === undefined) return { name };
  return interruptible(io, async (signal) => {
    const retry = { signal, onPause: (milliseconds: number) => sayPause(io, milliseconds) };
    const driver = openDriver({ ...target, profile: read, ...retry });
    try {
      const report = await probe({ ...read, driver, url: target.url });
      if (!report.answered) throw unreachable(flags);
      if (!measured || !fits(report)) return { name, report };
      const more = await measure({ target: { ...target, profile: read }, found: report.found, ...retry });
      return { name, report, measured: [...report.found.measured, ...more] };
    } finally {
      driver.close();
    }
  });
}

/** Checks whether a profile fits the server. Only valid ceremonies count, since a server with faults may also accept invalid ones. */
const fits = ({ found }: ProbeReport): boolean => found.formats.length > 0 && found.logins.length > 0;

const countAccepted = ({ report }: Tried): number =>
  report === undefined ? 0 : report.steps.filter(({ status }) => status === 'passed').length;

function unreachable({ url }: Flags): PasskeyError {
  return new PasskeyError('target_unreachable', `No server responds at ${String(url)}. Start the server, or check the URL.`);
}

function recordingUnfit(io: Io, { har, url }: Flags, report: ProbeReport | undefined): PasskeyError {
  const step = report?.steps.find(({ status }) => status === 'failed');
  const lines = [
    `The recording ${String(har)} does not fit ${String(url)}${step === undefined ? '' : `: ${describeStep(step)}`}.`,
    `Write its profile to a file, and change the line that does not fit: ${ownCommand(io)} simulate --init-profile --har ${quoteWord(String(har))}`,
  ];
  return new PasskeyError('usage', lines.join('\n'));
}

const describeStep = ({ name, said, misfit }: ProbeReport['steps'][number]): string =>
  `${name}: ${misfit === undefined ? said : `expected ${misfit.expected}, got ${misfit.received}`}`;

function noneFits(
  io: Io,
  { url }: Flags,
  { files, tried }: { readonly files: readonly string[]; readonly tried: readonly Tried[] },
): PasskeyError {
  const simulate = `${ownCommand(io)} simulate`;
  const [closest] = tried.filter((each) => countAccepted(each) > 0).toSorted((one, other) => countAccepted(other) - countAccepted(one));
  const step = closest?.report?.steps.find(({ status }) => status === 'failed');
  const missing = tried.flatMap((each) => (each.missing === undefined ? [] : `${each.name} (needs ${each.missing})`));
  const own = files.length === 0 ? 'no file in this folder is a profile' : `not ${files.join(', ')} in this folder`;
  const lines = [
    `None of the ${BUILT_IN_PROFILES.length} built-in profiles fits ${String(url)}, and ${own}.`,
    ...(closest === undefined || step === undefined ? [] : [`  ${closest.name} comes closest, up to ${describeStep(step)}`]),
    ...(missing.length === 0 ? [] : [`  not tried: ${missing.join(', ')}`]),
    `Save a registration and a login of your page as a HAR (developer tools of the browser, Network panel), and run: ${simulate} ${quoteWord(String(url))} --har recording.har`,
  ];
  return new PasskeyError('usage', lines.join('\n'));
}
