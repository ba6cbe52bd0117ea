import { ERRORS, type ErrorCode, isFailedCheck } from '../../src/errors.js';
import { LIBRARY_FIXES } from '../../src/explain/library-fixes.js';
import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../../src/relying-party/steps/procedure.js';
import { STEP_REVISION } from '../../src/relying-party/steps/step.js';
import { SECTION_ANCHORS } from '../../src/webauthn/enumerations.js';
import { ERROR_CAUSES } from './error-causes.js';
import { SECTIONS, type Slug, STEPS } from './steps.js';

const INTRODUCTION = `Each error has a stable code. It is in every problem document, in the output of \`--json\` and on the test page. In development mode the
member \`documentation\` of a problem document leads to its entry.

An entry lists the usual causes, the likeliest first, and the fix. For a refused ceremony it also names the option or call to look at in
your library. \`passkey explain\` recognises the error texts of these libraries, and a finding of \`passkey simulate\` names the step that
a server leaves out. A profile that names its library has the option in the advice ([targets.md](targets.md#findings)).`;

const REFUSED = `HTTP status 422 at registration, 401 at authentication; exit code 1. Exceptions say so. \`passkey simulate --tag CODE\` runs the
cases that a server must refuse with a code. What \`@simplewebauthn/server\` itself leaves out is in
[DIFFERENCES.md](../src/relying-party/DIFFERENCES.md).`;

const NUMBERS = `The numbers are those of ${STEP_REVISION}: [§7.1](${SECTION_ANCHORS['7.1']}) for
registrations, [§7.2](${SECTION_ANCHORS['7.2']}) for authentications. The name of a step is stable, and
\`passkey simulate --step NAME\` runs its cases. A step without a code cannot refuse.`;

const codes = Object.keys(ERRORS) as ErrorCode[];
const slugs = Object.keys({ ...REGISTRATION_TITLES, ...AUTHENTICATION_TITLES }) as Slug[];
const findSteps = (code: ErrorCode) => slugs.filter((slug) => STEPS[slug].codes?.includes(code));
const isRefusal = (code: ErrorCode) => isFailedCheck(code) || findSteps(code).length > 0;

/** Makes docs/errors.md from the tables of errors, steps and fixes. */
export function makeErrorsPage(): string {
  const sections = [
    '# Errors and steps',
    INTRODUCTION,
    '## Refused ceremonies',
    REFUSED,
    ...codes.filter(isRefusal).map(describeCode),
    '## Other errors',
    ...codes.filter((code) => !isRefusal(code)).map(describeCode),
    '## Steps',
    NUMBERS,
    tableOfSteps(),
  ];
  return `${sections.join('\n\n')}\n`;
}

function describeCode(code: ErrorCode): string {
  const { causes, next } = ERROR_CAUSES[code];
  const steps = findSteps(code);
  const own = steps.filter((slug) => STEPS[slug].codes?.[0] === code);
  const option = next.includes('({option})') ? 'option below' : 'the option below';
  return [
    `### ${code}`,
    [`${ERRORS[code].title}.`, describeStatus(code), ...steps.map(describePlace)].filter((part) => part !== '').join(' '),
    causes.map((cause, index) => `${index + 1}. ${cause}`).join('\n'),
    `**Fix:** ${next.replace('{option}', option)}`,
    ...own.flatMap(listOptions),
  ].join('\n\n');
}

/** A status of 500 is answered as `internal_error`: the codes that have it are errors of commands. */
function describeStatus(code: ErrorCode): string {
  const { status, exit } = ERRORS[code];
  if (isFailedCheck(code)) return '';
  return `${status === 500 && code !== 'internal_error' ? 'Exit' : `HTTP ${status}; exit`} code ${exit}.`;
}

function describePlace(slug: Slug): string {
  const { section } = STEPS[slug];
  const numbers = [
    ['§7.1', numberIn(REGISTRATION_TITLES, slug)],
    ['§7.2', numberIn(AUTHENTICATION_TITLES, slug)],
  ].flatMap(([procedure, number]) => (number === '' ? [] : [`${procedure} step ${number}`]));
  return `${numbers.join(', ')} (\`${slug}\`)${section === undefined ? '' : `; see ${linkTo(section)}`}.`;
}

const linkTo = (section: keyof typeof SECTIONS) => `[§${section}](https://www.w3.org/TR/webauthn-3/#${SECTIONS[section]})`;
const numberIn = (titles: object, slug: Slug) => String(Object.keys(titles).indexOf(slug) + 1 || '');

/** Lists what checks a step in each library, and the flag of our own server. */
function listOptions(slug: Slug): string[] {
  const { flag } = STEPS[slug];
  const options = [
    ...LIBRARY_FIXES.flatMap(({ names: [name], steps }) => (steps[slug] === undefined ? [] : [`${name} ${steps[slug]}`])),
    ...(flag === undefined ? [] : [`\`passkey serve\` \`${flag}\``]),
  ];
  return options.length === 0 ? [] : [`Options: ${options.join(' · ')}`];
}

function tableOfSteps(): string {
  const rows = slugs.map((slug) => {
    const { codes: refusals = [], section } = STEPS[slug];
    const titles: readonly Readonly<Partial<Record<Slug, { readonly title: string }>>>[] = [REGISTRATION_TITLES, AUTHENTICATION_TITLES];
    return [
      `\`${slug}\``,
      numberIn(REGISTRATION_TITLES, slug),
      numberIn(AUTHENTICATION_TITLES, slug),
      [...new Set(titles.flatMap((each) => each[slug]?.title ?? []))].join('; '),
      refusals.map((code) => `[${code}](#${code})`).join(', '),
      section === undefined ? '' : linkTo(section),
    ];
  });
  return toTable(['Step', '§7.1', '§7.2', 'Rule', 'Codes', 'About'], rows);
}

/** Writes a Markdown table. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
