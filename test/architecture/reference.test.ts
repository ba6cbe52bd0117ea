import { expect, test } from 'vitest';
import { findExample, listEntryPoints, makeApiPage } from '../../build/reference/api-page.js';
import { makeCliPage } from '../../build/reference/cli-page.js';
import { describeSettings } from '../../build/reference/commands.js';
import { makeErrorsPage } from '../../build/reference/errors-page.js';
import { makeManPage } from '../../build/reference/man-page.js';
import { makeMistakesPage } from '../../build/reference/mistakes-page.js';
import { STEPS } from '../../build/reference/steps.js';
import { makeTroubleshootingPage } from '../../build/reference/troubleshooting-page.js';
import { FAILED_CHECKS } from '../../src/errors.js';
import { ERROR_TEXTS } from '../../src/explain/error-texts/table.js';
import { LIBRARY_FIXES } from '../../src/explain/library-fixes.js';
import { DIFFERENCES } from '../../src/relying-party/differences.js';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { describeTest } from '../../src/simulate/engine/case.js';
import { FAULTY_LIBRARIES } from '../../src/simulate/findings/library-faults.js';

const STALE = 'Run npm run docs:reference.';

test('docs/errors.md is made of the tables', async () => {
  await expect(makeErrorsPage(), STALE).toMatchFileSnapshot('../../docs/errors.md');
});

test('the messages of docs/troubleshooting.md are made of the table of errors', async () => {
  await expect(makeTroubleshootingPage(), STALE).toMatchFileSnapshot('../../docs/troubleshooting.md');
});

test('docs/reference/cli.md is made of the definitions of commands and settings', async () => {
  await expect(await makeCliPage(), STALE).toMatchFileSnapshot('../../docs/reference/cli.md');
});

test('the mistakes of the skill are made of the vocabulary', async () => {
  await expect(makeMistakesPage(), STALE).toMatchFileSnapshot('../../skills/passkeys/references/mistakes.md');
});

test('docs/reference/api.md is made of the sources of the entry points', async () => {
  const page = makeApiPage();
  await expect(page, STALE).toMatchFileSnapshot('../../docs/reference/api.md');
  // A comment that says only what a function throws does not say what it does.
  expect(page.match(/^### .+\n\n```ts\n[^`]*```\n\n(?=Throws |Returns |`\w+`: |#|\|)/gm)).toBeNull();
});

test.each(listEntryPoints().filter(({ name }) => name !== 'passkey-cli/testing/playwright'))(
  'the example of $name runs',
  async ({ name }) => {
    await import(findExample(name));
  },
);

test('the manual page names every flag and variable, in ASCII, and no line of text is a request', async () => {
  const text = await makeManPage();
  const requests = text.match(/^[.'].{2}/gm)?.filter((request) => !/^\.(?:TH|SH|SS|PP|TP|nf|fi|B |I )/.test(request));
  expect([requests, /[^\n -~]/.exec(text)]).toEqual([[], null]);
  const plain = text.replaceAll('\\-', '-');
  const page = await makeCliPage();
  expect([...page.matchAll(/^\| `(--[\w-]+)/gm)].filter(([, flag = '']) => !plain.includes(`\\fB${flag}`))).toEqual([]);
  for (const { variable } of describeSettings()) expect(plain).toContain(`\\fB${variable}\\fR`);
});

test('steps have the codes that cases expect of them, and every failed check is one of a step', () => {
  const expected = ALL_CASES.flatMap(({ expected }) =>
    expected.outcome === 'rejected' && expected.step ? [[expected.step, expected.code]] : [],
  );
  const codes = new Map<string, readonly string[]>(Object.entries(STEPS).map(([slug, step]) => [slug, step.codes ?? []]));
  expect(expected.filter(([step = '', code = '']) => !codes.get(step)?.includes(code))).toEqual([]);
  const all = [...codes.values()].flat();
  expect(Object.keys(FAILED_CHECKS).filter((code) => !all.includes(code))).toEqual(['verifiers_disagree']);
});

test('fixes are of steps that there are', () => {
  expect(LIBRARY_FIXES.flatMap(({ steps }) => Object.keys(steps)).filter((slug) => !Object.hasOwn(STEPS, slug))).toEqual([]);
});

test('fixes are of libraries whose errors are known', () => {
  const known = new Set(ERROR_TEXTS.map(({ from }) => from));
  expect(LIBRARY_FIXES.filter(({ names: [name] }) => !known.has(name))).toEqual([]);
});

test('what a case blames on the library that we use is a difference from our steps', () => {
  const isKnown = (id: string) => {
    const [blamed] = ALL_CASES.filter((each) => each.id === id);
    const { outcome } = blamed?.expected ?? {};
    const [direction, where] =
      outcome === 'verified'
        ? ['library-refuses', `\`${blamed?.wants?.format}\``]
        : ['library-accepts', blamed && describeTest(blamed)?.slug];
    return DIFFERENCES.some((row) => row.direction === direction && row.where === where);
  };
  const blamed = FAULTY_LIBRARIES.flatMap(({ faults }) => faults).flatMap(({ cases, fixedIn }) => (fixedIn === undefined ? cases : []));
  expect(blamed.filter((id) => !isKnown(id))).toEqual([]);
});
