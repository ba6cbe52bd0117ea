// What a release needs of the checkout, as functions that answer what is wrong, or nothing.

const FULL_DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/**
 * A release has a heading of its own, `## [0.1.0] - 2026-11-22`, and leaves nothing under `## [Unreleased]`.
 *
 * @param today as `2026-11-22`, in UTC.
 */
export function wrongInChangelog(changelog, version, today) {
  const lines = changelog.split(/\r?\n/);
  const headings = lines.flatMap((line, at) => (/^##\s/.test(line) ? [{ line, at }] : []));
  const index = headings.findIndex(({ line }) => line.startsWith(`## [${version}]`));
  const wanted = `## [${version}] - ${today}`;
  if (index < 0) return `add a heading "${wanted}"`;
  const { line, at } = headings[index];
  const date = line.slice(`## [${version}]`.length).replace(/^ - /, '');
  if (!isDate(date)) return `write "${wanted}" for "${line}"`;
  if (date > today) return `the date of "${line}" is still to come`;
  if (isEmpty(lines.slice(at + 1, headings[index + 1]?.at))) return `say what is new under "${line}"`;
  const unreleased = headings.findIndex((heading) => /^## \[Unreleased\]/i.test(heading.line));
  const left = unreleased < 0 || isEmpty(lines.slice(headings[unreleased].at + 1, headings[unreleased + 1]?.at));
  return left ? '' : `move what stands under "${headings[unreleased].line}" to "${line}"`;
}

/** Headings and links alone say nothing. */
const isEmpty = (lines) => lines.every((line) => /^\s*(?:#.*|\[[^\]]+\]:.*)?$/.test(line));

function isDate(text) {
  const [, year, month, day] = FULL_DATE.exec(text) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return day !== undefined && date.toISOString().startsWith(text);
}

/** Hosts that are nobody's, or this machine's: addresses made up to fill a field. */
const NO_PUBLIC_HOST =
  /^(?:localhost|[^.]+|.*\.(?:local|localhost|internal|test|invalid|example)|(?:.*\.)?example\.(?:com|org|net)|[\d.]+|\[.*\])$/i;

/**
 * npm signs where a package was built (provenance) only for a public repository, and its registry refuses a package whose `repository` is
 * another than the one that the signature names, letter by letter.
 *
 * @param remote of the checkout, if it has one; @param env of the CI.
 */
export function wrongInRepository({ repository }, { remote = '', env = {} } = {}) {
  const how = 'set "repository" to { "type": "git", "url": "git+https://HOST/OWNER/NAME.git" } of the public repository that is built from';
  if (repository === undefined) return `${how}: npm refuses provenance without it`;
  const url = typeof repository === 'string' ? undefined : parsed(repository.url);
  if (repository.type !== 'git' || url?.protocol !== 'git+https:' || !/^\/[^/]+\/.+\.git$/.test(url.pathname)) {
    return `${how}; it is ${JSON.stringify(repository)}`;
  }
  if (NO_PUBLIC_HOST.test(url.hostname) || url.username !== '') return `${how}; ${url.host} is no public host`;
  const address = `${url.host}${url.pathname.replace(/\.git$/, '')}`;
  const built = builtFrom(env);
  if (built !== undefined && built !== address) return `it names ${address}, and this CI builds from ${built}`;
  const own = addressOf(remote);
  return own !== undefined && own !== address ? `it names ${address}, and this is a checkout of ${own}` : '';
}

/** What a provenance would name: GitHub Actions and GitLab say it. */
function builtFrom({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, CI_PROJECT_URL: project }) {
  const url = server && name ? `${server}/${name}` : project;
  return url === undefined ? undefined : url.replace(/^https?:\/\//, '');
}

/** Host and path of a remote: `https://HOST/OWNER/NAME.git`, `git@HOST:OWNER/NAME.git`. Undefined for a folder. */
function addressOf(remote) {
  const [, host, path] = /^(?:[a-z+]+:\/\/)?(?:[^@/]+@)?([^:/]+\.[^:/]+)(?::\d+\/|[:/])(.+?)(?:\.git)?\/?$/i.exec(remote.trim()) ?? [];
  return host === undefined ? undefined : `${host}/${path}`;
}

/** npm shows both on the page of a package. */
export function wrongInAddresses({ homepage, bugs }) {
  const page = 'set "homepage" to the page of the project';
  if (!isPublic(homepage)) return `${page}, as https://…`;
  const reports = typeof bugs === 'string' ? bugs : (bugs?.url ?? (bugs?.email && `mailto:${bugs.email}`));
  return isPublic(reports) || /^mailto:\S+@\S+\.\S+$/.test(reports ?? '')
    ? ''
    : 'set "bugs" to { "url": "https://…" } where faults are reported';
}

function isPublic(text) {
  const url = typeof text === 'string' ? parsed(text) : undefined;
  return url?.protocol === 'https:' && !NO_PUBLIC_HOST.test(url.hostname);
}

function parsed(text) {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Whether a registry is on this machine, where a release may be tried out. */
export function isRehearsal(registry) {
  const url = parsed(registry);
  return url !== undefined && /^https?:$/.test(url.protocol) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
}
