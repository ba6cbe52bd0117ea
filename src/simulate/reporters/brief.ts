import { count } from '../../kernel/wording.js';
import { findProfileLine } from '../report/profile-lines.js';
import { asExpected, type CaseReport, type Finding } from '../report/report.js';
import { findEndingOf, grouped, headFinding, listDoubts, readReason, resultsByFinding, summaryLine } from './words.js';

/** Maximum size of a brief report in bytes: as much as a coding agent reads at once. */
const BRIEF_BYTES = 2048;

/** Number of bytes reserved for unjudged cases when there are many findings. */
const FOR_UNJUDGED = 300;

/**
 * Renders a report in at most 2 kB: `passes` or `fails`, the findings that fail the run, and profile lines that would let more cases be
 * judged. The worst findings come first, each with its remedy and the command that repeats it. If space runs out, the last findings are
 * only named, then only counted.
 */
export function renderBrief(report: CaseReport): string {
  const page = openPage(BRIEF_BYTES);
  page.add(head(report));
  for (const { text } of listDoubts(report)) page.add(text);
  const failing = resultsByFinding(report).filter(({ finding }) => findEndingOf(finding) === 'failed');
  page.addAll(
    failing.map(({ finding, results: [first] }, index) => ({
      full: describe(finding, index === 0 || first?.replay !== undefined ? finding.rerun : first && `the same with ${first.id}`),
      short: headFinding(finding),
    })),
    { keep: FOR_UNJUDGED, rest: (left) => `and ${count(left, 'more finding')}; --reporter json lists them` },
  );
  const others = report.findings.length - failing.length;
  if (others > 0) page.add(`not counted: ${count(others, 'finding')}, known or tolerated; --reporter json lists them`);
  page.addAll(
    listUnjudged(report).map((text) => ({ full: text, short: text })),
    { keep: 0, rest: (left) => `and ${count(left, 'more reason')} for cases that were not judged; --reporter json lists them` },
  );
  return page.text();
}

function head(report: CaseReport): string {
  const profile = report.profile === undefined ? '' : `, profile ${report.profile.name}`;
  return `${asExpected(report) ? 'passes' : 'fails'}: ${summaryLine(report)}${profile}`;
}

function describe(finding: Finding, run: string | undefined): string {
  const { advice } = finding;
  const fix = advice === undefined ? [] : [`  fix: ${advice}`];
  return [headFinding(finding), ...fix, ...(run === undefined ? [] : [`  run: ${run}`])].join('\n');
}

/** Lists the reasons why cases were not judged, those with the most cases first, each with a profile line that could help. */
function listUnjudged({ results }: CaseReport): string[] {
  const groups = grouped(results, (result) => {
    if (result.member === undefined) return [];
    const line = findProfileLine(result.member);
    return [[readReason(result), ...(line === undefined ? [] : [`  profile: ${line}`])].join('\n')];
  });
  return [...groups]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([text, keys]) => `not judged: ${count(keys.length, 'case')}: ${text}`);
}

interface Entry {
  readonly full: string;
  readonly short: string;
}

function openPage(limit: number) {
  const lines: string[] = [];
  let room = limit;
  const add = (text: string): void => {
    lines.push(text);
    room -= sizeOf(text);
  };
  return {
    add,
    /**
     * Adds as many entries as fit while `keep` bytes stay free: the first of them in full, the others in short form. Entries that do not
     * fit are only counted, in the words of `rest`.
     */
    addAll(entries: readonly Entry[], { keep, rest }: { readonly keep: number; readonly rest: (left: number) => string }): void {
      const fits = (shown: number, details: number): boolean => {
        const left = entries.length - shown;
        const sizes = entries.slice(0, shown).map(({ full, short }, index) => sizeOf(index < details ? full : short));
        return sizes.reduce((sum, size) => sum + size, left === 0 ? 0 : sizeOf(rest(left))) <= room - keep;
      };
      let shown = entries.length;
      while (shown > 0 && !fits(shown, 1)) shown -= 1;
      let details = Math.min(1, shown);
      while (details < shown && fits(shown, details + 1)) details += 1;
      for (const [index, { full, short }] of entries.slice(0, shown).entries()) add(index < details ? full : short);
      if (shown < entries.length) add(rest(entries.length - shown));
    },
    text: () => `${lines.join('\n')}\n`,
  };
}

/** Returns the size of text in bytes, including its final line feed. */
const sizeOf = (text: string): number => Buffer.byteLength(text) + 1;
