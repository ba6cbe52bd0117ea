// node --import tsx build/reference/vocabulary.ts FILE: writes passkey-cli/vocabulary.json.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Static } from 'typebox';
import { version } from '../../src/cli/package.js';
import type { vocabularySchema } from '../../src/cli/vocabulary-schema.js';
import { ERRORS, type ErrorCode } from '../../src/errors.js';
import { LIBRARY_FIXES } from '../../src/explain/library-fixes.js';
import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../../src/relying-party/steps/procedure.js';
import { STEP_REVISION } from '../../src/relying-party/steps/step.js';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { type Case, describeTest, testedStep } from '../../src/simulate/engine/case.js';
import type { Cause, CombinedCause, Conduct } from '../../src/simulate/findings/cause.js';
import { CAUSES, COMBINED_CAUSES, findTestedCause } from '../../src/simulate/findings/causes.js';
import { FAULTY_LIBRARIES } from '../../src/simulate/findings/library-faults.js';
import { listReferences } from '../../src/simulate/findings/references.js';
import { SEVERITY_NAMES } from '../../src/simulate/report/severity.js';
import { SECTION_ANCHORS } from '../../src/webauthn/enumerations.js';
import { ERROR_CAUSES } from './error-causes.js';
import { SECTIONS, type Slug, STEPS } from './steps.js';

type Vocabulary = Static<typeof vocabularySchema>;
type Section = Vocabulary['errors'][number]['sections'][number];
type Described = Pick<Vocabulary['causes'][number], 'severity' | 'cwe' | 'references'>;

/** Remedies by what the server does, for causes of any case: the cases themselves only say why their attacks matter. */
const REMEDIES: Readonly<Partial<Record<Conduct, string>>> = {
  'another user': 'Take the user of the session from the record of the passkey that signed, and from nothing else in the request.',
  refused: 'Accept what the standard allows: the title of the case says which part of it the server refuses.',
  failed: 'Check the form of every member before you use it, and answer what cannot be read with status 400.',
  ended: 'Catch what the handling of a request throws, and answer with status 400 or 500: one request must not end the process.',
  'refused otherwise': 'Look at the reason that the server gives: it refused before it reached the check that the case is about.',
  unreadable: 'Run passkey simulate --probe: it shows which part of the profile does not fit the answers.',
  'no response': 'Run passkey explain on the options: a browser refuses them too.',
  varies: 'Look for state that one run leaves behind, for a race, or for a clock.',
  'case error': 'Report it with the output of the run: the fault is in passkey.',
};

/** Makes the public vocabulary from the tables of errors, steps and causes. */
export function makeVocabulary(): Vocabulary {
  return {
    format: 'passkey-vocabulary',
    version: 1,
    package: version(),
    revision: STEP_REVISION,
    severities: [...SEVERITY_NAMES],
    errors: (Object.keys(ERRORS) as ErrorCode[]).map(describeError),
    steps: SLUGS.map(describeStep),
    causes: listCauses(),
  };
}

const SLUGS = Object.keys({ ...REGISTRATION_TITLES, ...AUTHENTICATION_TITLES }) as Slug[];

interface Tested {
  readonly each: Case;
  readonly cause: Cause;
  readonly code: string | undefined;
  readonly slug: string | undefined;
}

/** Each case with the mistake that it looks for. */
const TESTED: readonly Tested[] = ALL_CASES.map((each) => {
  const { id, title, expected, wants } = each;
  const tests = describeTest(each);
  const cause = findTestedCause({
    id,
    title,
    source: 'case',
    tags: [expected.outcome],
    expected: expected.outcome,
    ...(tests && { tests }),
    ...(wants?.format !== undefined && { attestation_format: wants.format }),
  });
  return { each, cause, code: expected.outcome === 'rejected' ? expected.code : undefined, slug: tests?.slug };
});

const REFUSED = TESTED.filter(({ code }) => code !== undefined);

function describeError(id: ErrorCode): Vocabulary['errors'][number] {
  const { title, status, exit } = ERRORS[id];
  const { causes: reasons, next } = ERROR_CAUSES[id];
  const steps = SLUGS.filter((slug) => STEPS[slug].codes?.includes(id));
  // Only a step that is left out is a mistake of a server with a cause.
  const causes = steps.length === 0 ? [] : rankCauses(({ code }) => code === id);
  return {
    id,
    sentence: `${title}.`,
    sections: distinct(steps.flatMap(listSections)),
    remedy: nameOption(next),
    ...describeFirst(causes),
    reasons: [...reasons],
    status,
    exit,
    steps,
    causes: listIds(causes),
  };
}

function describeStep(id: Slug): Vocabulary['steps'][number] {
  const { codes = [] } = STEPS[id];
  const [code] = codes;
  const causes = rankCauses(({ slug }) => slug === id);
  return {
    id,
    sentence: `${listTitles(id, 'failure').join('; ')}.`,
    sections: listSections(id),
    remedy: code === undefined ? null : nameOption(ERROR_CAUSES[code].next),
    ...describeFirst(causes),
    rule: `${listTitles(id).join('; ')}.`,
    errors: [...codes],
    causes: listIds(causes),
    options: Object.fromEntries(
      LIBRARY_FIXES.flatMap(({ names: [name], steps }) => (steps[id] === undefined ? [] : [[name, steps[id].replaceAll('`', '')]])),
    ),
  };
}

/** The titles of a step in §7.1 and §7.2, where they differ. */
function listTitles(slug: Slug, member: 'title' | 'failure' = 'title'): readonly string[] {
  const titles: readonly Readonly<Partial<Record<Slug, { readonly title: string; readonly failure: string }>>>[] = [
    REGISTRATION_TITLES,
    AUTHENTICATION_TITLES,
  ];
  return [...new Set(titles.flatMap((each) => each[slug]?.[member] ?? []))];
}

function listCauses(): Vocabulary['causes'] {
  const rows = [...COMBINED_CAUSES, ...CAUSES, ...TESTED.map(({ cause }) => cause), ...listStepCauses()];
  const formats = new Set(ALL_CASES.flatMap(({ wants }) => wants?.format ?? []));
  // Where a server verifies nothing of a format, its rules are one finding.
  const joined = ['', ...[...formats].map((format) => ` of format ${format}`)].map((which): Cause => {
    const says = `The server does not verify attestation statements${which}.`;
    return { id: `attestation-statement${which}`, severity: 'medium', cases: /-(?:signature|nonce)$/, says };
  });
  // An id that several rows have is as serious as the worst of them.
  const worst = [...joined, ...rows].toSorted(
    (one, other) => SEVERITY_NAMES.indexOf(one.severity) - SEVERITY_NAMES.indexOf(other.severity),
  );
  const byId = new Map(worst.toReversed().map((row) => [row.id, row]));
  return [...[...byId.values()].toReversed().map(describeCause), ...listLibraryFaults()];
}

/** Conduct whose remedy depends on the case, unless the cause is one of all cases. */
const FROM_CASES: readonly Conduct[] = ['accepted', 'owner', 'another user', 'refused', 'no response'];

/** The causes of replayed fixtures, which have no row: each step by its name. */
function listStepCauses(): Cause[] {
  return (['registration', 'authentication'] as const).flatMap((kind) =>
    SLUGS.flatMap((slug) => {
      const tests = testedStep(kind, slug);
      const listed = { id: 'fixture', title: slug, source: 'fixture', tags: ['rejected'], expected: 'rejected' } as const;
      return tests === undefined ? [] : [findTestedCause({ ...listed, tags: [...listed.tags], tests })];
    }),
  );
}

function describeCause(row: Cause | CombinedCause): Vocabulary['causes'][number] {
  const found = TESTED.filter(({ cause }) => cause.id === row.id);
  const matched = 'cases' in row ? TESTED.filter(({ each }) => row.cases.test(each.id)) : [];
  const parts = TESTED.filter(({ cause, slug }) => ('of' in row ? row.of.includes(cause.id) : slug === row.id));
  const isOfConduct = row.when !== undefined && (!FROM_CASES.includes(row.when) || matched.length === TESTED.length);
  const cases = isOfConduct ? [] : ([found, matched, parts].find((each) => each.length > 0) ?? []);
  const steps = new Set(cases.flatMap(({ slug }) => slug ?? []));
  const own = SLUGS.find((slug) => slug === row.id);
  const advice = isOfConduct ? REMEDIES[row.when ?? 'accepted'] : cases.find(({ each }) => each.why !== undefined)?.each.why;
  return {
    id: row.id,
    sentence: withoutCounts(row.says),
    sections: own === undefined ? distinct(cases.flatMap(({ each }) => listTestedSection(each))) : listSections(own),
    remedy: advice ?? (own === undefined ? null : `Run this step of the standard: ${listTitles(own).join('; ')}.`),
    ...describeFirst([row]),
    gain: row.gain ?? null,
    errors: [...new Set(cases.flatMap(({ code }) => code ?? []))],
    steps: own === undefined ? [...steps] : [own],
  };
}

/** Faults of libraries that no application can mend, or that a later version mends. */
function listLibraryFaults(): Vocabulary['causes'] {
  const faults = FAULTY_LIBRARIES.flatMap(({ name, faults }) => faults.map((fault) => ({ ...fault, id: `library ${name} ${fault.says}` })));
  return [...new Map(faults.map((fault) => [fault.id, fault])).values()].map(({ id, says, cases, fixedIn }) => {
    const tested = TESTED.filter(({ each }) => cases.includes(each.id));
    return {
      id,
      sentence: `The library ${says}.`,
      sections: distinct(tested.flatMap(({ each }) => listTestedSection(each))),
      remedy: fixedIn === undefined ? 'Not yours to fix; no attack is known.' : `Upgrade to ${fixedIn}.`,
      severity: fixedIn === undefined ? 'note' : (tested[0]?.cause.severity ?? 'low'),
      cwe: [],
      references: [],
      gain: null,
      errors: [...new Set(tested.flatMap(({ code }) => code ?? []))],
      steps: [...new Set(tested.flatMap(({ slug }) => slug ?? []))],
    };
  });
}

/** The causes of refused cases, first those that have no others; then the worst, then those that most cases show. */
function rankCauses(holds: (tested: Tested) => boolean): readonly Cause[] {
  const counted = new Map<string, { readonly cause: Cause; count: number }>();
  for (const { cause } of REFUSED.filter(holds)) {
    const known = counted.get(cause.id);
    if (known === undefined) counted.set(cause.id, { cause, count: 1 });
    else known.count += 1;
  }
  const hasOthers = ({ id }: Cause) => REFUSED.some((tested) => tested.cause.id === id && !holds(tested));
  const rows = [...counted.values()].map((row) => ({
    ...row,
    hasOthers: hasOthers(row.cause),
    rank: SEVERITY_NAMES.indexOf(row.cause.severity),
  }));
  return rows
    .toSorted((one, other) => Number(one.hasOthers) - Number(other.hasOthers) || one.rank - other.rank || other.count - one.count)
    .map(({ cause }) => cause);
}

const listIds = (rows: readonly Cause[]): string[] => rows.map(({ id }) => id);

function describeFirst([row]: readonly (Cause | CombinedCause)[]): Described {
  const all = row === undefined ? [] : listReferences(row.id);
  const isCwe = (reference: string) => reference.startsWith('CWE-');
  return { severity: row?.severity ?? null, cwe: all.filter(isCwe), references: all.filter((reference) => !isCwe(reference)) };
}

function listSections(slug: Slug): Section[] {
  const { section } = STEPS[slug];
  const steps = (['7.1', '7.2'] as const).flatMap((procedure) => {
    const number = Object.keys(procedure === '7.1' ? REGISTRATION_TITLES : AUTHENTICATION_TITLES).indexOf(slug) + 1;
    return number === 0 ? [] : [placeStep(procedure, number)];
  });
  return section === undefined ? steps : [...steps, { name: `§${section}`, url: `https://www.w3.org/TR/webauthn-3/#${SECTIONS[section]}` }];
}

function listTestedSection(each: Case): Section[] {
  const tests = describeTest(each);
  return tests === undefined ? [] : [placeStep(tests.section === '7.1' ? '7.1' : '7.2', tests.number)];
}

const placeStep = (section: keyof typeof SECTION_ANCHORS, number: number): Section => {
  return { name: `§${section} step ${number}`, url: SECTION_ANCHORS[section] };
};

const distinct = (sections: readonly Section[]): Section[] => [...new Map(sections.map((section) => [section.name, section])).values()];

const nameOption = (next: string): string => next.replace('{option}', 'the option of your library');

/** The sentence of a finding without its number of cases and its example. */
function withoutCounts(says: string): string {
  return says
    .replace(/,? such as \{example\}/, '')
    .replace(/: (?:it accepted )?(?:\{example\} \()?\{\w+\}\)?\./, '.')
    .replace(/ \(\{\w+\}\)|, in \{\w+\}(?=\.)/, '')
    .replace('{example}', 'a valid one')
    .replaceAll(/\{(\w+)\}/g, '$1');
}

const [, script, file] = process.argv;
if (file !== undefined && script === import.meta.filename) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(makeVocabulary(), null, 2)}\n`);
}
