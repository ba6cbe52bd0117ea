import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';

interface Checkout {
  readonly remote?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Checks {
  wrongInChangelog(changelog: string, version: string, today: string): string;
  wrongInRepository(manifest: object, checkout?: Checkout): string;
  wrongInAddresses(manifest: object): string;
  isRehearsal(registry: string): boolean;
}
const { wrongInChangelog, wrongInRepository, wrongInAddresses, isRehearsal }: Checks = await import(
  pathToFileURL(join(resolve(import.meta.dirname, '../..'), 'build/release-checks.mjs')).href
);

const TODAY = '2026-11-22';
const changelog = (heading: string, ...unreleased: string[]) =>
  [
    '# Changelog',
    '',
    '## [Unreleased]',
    ...unreleased,
    '',
    heading,
    '',
    '### Added',
    '',
    '- All of it.',
    '',
    '## [0.0.9] - 2026-01-01',
    '- A beginning.',
  ].join('\n');

describe('the changelog of a release', () => {
  test.each([
    ['a date of today', changelog('## [0.1.0] - 2026-11-22')],
    ['an older one', changelog('## [0.1.0] - 2026-02-28')],
    ['line ends of Windows', changelog('## [0.1.0] - 2026-11-22').replaceAll('\n', '\r\n')],
  ])('is right with %s', (_, text) => {
    expect(wrongInChangelog(text, '0.1.0', TODAY)).toBe('');
  });

  test.each([
    ['another version', changelog('## [0.1.01] - 2026-11-22'), 'add a heading "## [0.1.0] - 2026-11-22"'],
    ['no heading', '# Changelog\n', 'add a heading "## [0.1.0] - 2026-11-22"'],
    ['no date', changelog('## [0.1.0]'), 'write "## [0.1.0] - 2026-11-22" for "## [0.1.0]"'],
    ['a date in another form', changelog('## [0.1.0] (2026-11-22)'), 'write "## [0.1.0] - 2026-11-22" for "## [0.1.0] (2026-11-22)"'],
    ['a day that is none', changelog('## [0.1.0] - 2026-02-29'), 'write "## [0.1.0] - 2026-11-22" for "## [0.1.0] - 2026-02-29"'],
    ['a date to come', changelog('## [0.1.0] - 2026-11-23'), 'the date of "## [0.1.0] - 2026-11-23" is still to come'],
    [
      'changes that are left under Unreleased',
      changelog('## [0.1.0] - 2026-11-22', '', '### Fixed', '', '- More.'),
      'move what stands under "## [Unreleased]" to "## [0.1.0] - 2026-11-22"',
    ],
    [
      'nothing under its heading',
      '## [0.1.0] - 2026-11-22\n\n### Added\n\n## [0.0.9]\n- x',
      'say what is new under "## [0.1.0] - 2026-11-22"',
    ],
  ])('is wrong with %s', (_, text, wrong) => {
    expect(wrongInChangelog(text, '0.1.0', TODAY)).toBe(wrong);
  });
});

describe('the repository that a release is built from', () => {
  const of = (url: string, type = 'git') => ({ repository: { type, url } });
  const OURS = of('git+https://code.ada.dev/ada/passkey.git');

  test.each<[string, Checkout]>([
    ['nothing', {}],
    ['a checkout by https', { remote: 'https://code.ada.dev/ada/passkey.git\n' }],
    ['a checkout by https with a token', { remote: 'https://ci:secret@code.ada.dev/ada/passkey' }],
    ['a checkout by ssh', { remote: 'git@code.ada.dev:ada/passkey.git' }],
    ['a checkout by ssh with a port', { remote: 'ssh://git@code.ada.dev:2222/ada/passkey.git' }],
    ['a checkout of a folder', { remote: '/srv/git/passkey.git' }],
    ['GitHub Actions', { env: { GITHUB_SERVER_URL: 'https://code.ada.dev', GITHUB_REPOSITORY: 'ada/passkey' } }],
    ['GitLab', { env: { CI_PROJECT_URL: 'https://code.ada.dev/ada/passkey' } }],
  ])('fits %s', (_, checkout) => {
    expect(wrongInRepository(OURS, checkout)).toBe('');
  });

  test.each<[string, Checkout, string]>([
    ['another checkout', { remote: 'git@code.ada.dev:eve/passkey.git' }, 'this is a checkout of code.ada.dev/eve/passkey'],
    [
      'a name in other letters, which the registry of npm refuses',
      { env: { GITHUB_SERVER_URL: 'https://code.ada.dev', GITHUB_REPOSITORY: 'Ada/passkey' } },
      'this CI builds from code.ada.dev/Ada/passkey',
    ],
  ])('does not fit %s', (_, checkout, wrong) => {
    expect(wrongInRepository(OURS, checkout)).toBe(`it names code.ada.dev/ada/passkey, and ${wrong}`);
  });

  test('must be set: npm refuses provenance without it', () => {
    expect(wrongInRepository({})).toBe(
      'set "repository" to { "type": "git", "url": "git+https://HOST/OWNER/NAME.git" } of the public repository that is built from: npm refuses provenance without it',
    );
  });

  test.each([
    [{ repository: 'github:ada/passkey' }],
    [of('https://code.ada.dev/ada/passkey.git')],
    [of('git+ssh://git@code.ada.dev/ada/passkey.git')],
    [of('git+https://code.ada.dev/passkey')],
    [of('git+https://code.ada.dev/ada/passkey.git', 'svn')],
    [of('git+https://HOST/OWNER/NAME.git')],
    [of('git+https://github.example.com/ada/passkey.git')],
    [of('git+https://localhost/ada/passkey.git')],
    [of('git+https://192.0.2.1/ada/passkey.git')],
    [of('git+https://ada@code.ada.dev/ada/passkey.git')],
    [of('git+https://passkey.test/ada/passkey.git')],
  ])('is none: %j', (manifest) => {
    expect(wrongInRepository(manifest)).toMatch(/^set "repository" to /);
  });
});

describe('the addresses of a package', () => {
  const homepage = 'https://code.ada.dev/ada/passkey#readme';

  test.each([
    [{ homepage, bugs: { url: 'https://code.ada.dev/ada/passkey/issues' } }],
    [{ homepage, bugs: 'https://code.ada.dev/ada/passkey/issues' }],
    [{ homepage, bugs: { email: 'ada@ada.dev' } }],
  ])('are there: %j', (manifest) => {
    expect(wrongInAddresses(manifest)).toBe('');
  });

  test.each([
    [{}, /^set "homepage" /],
    [{ homepage: 'https://example.com' }, /^set "homepage" /],
    [{ homepage: 'http://code.ada.dev' }, /^set "homepage" /],
    [{ homepage }, /^set "bugs" /],
    [{ homepage, bugs: { email: 'ada' } }, /^set "bugs" /],
    [{ homepage, bugs: { url: 'https://tracker.invalid/' } }, /^set "bugs" /],
  ])('are missing: %j', (manifest, wrong) => {
    expect(wrongInAddresses(manifest)).toMatch(wrong);
  });
});

test.each([
  ['http://localhost:4873', true],
  ['http://127.0.0.1:1', true],
  ['http://[::1]:4873/', true],
  ['https://localhost', true],
  ['https://registry.npmjs.org', false],
  ['http://localhost.ada.dev', false],
  ['http://127.0.0.1.ada.dev', false],
  ['localhost:4873', false],
  ['file:///x', false],
  ['', false],
])('a registry at %j is on this machine: %j', (url, expected) => {
  expect(isRehearsal(url)).toBe(expected);
});
