import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { writeBaseline } from '../../simulate/engine/earlier-report.js';
import type { CaseReport } from '../../simulate/report/report.js';
import { renderBrief } from '../../simulate/reporters/brief.js';
import { renderAnnotations } from '../../simulate/reporters/github.js';
import { renderHtml } from '../../simulate/reporters/html.js';
import { renderJunit } from '../../simulate/reporters/junit.js';
import { renderEnd, renderResult } from '../../simulate/reporters/pretty.js';
import { toSarif } from '../../simulate/reporters/sarif.js';
import { renderTap } from '../../simulate/reporters/tap.js';
import { listNames } from '../../webauthn/enumerations.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { type Kind, list, parsed, path } from '../config/values.js';
import type { Io } from '../io.js';
import { printableValues, toJson } from '../output/printable.js';

const PLAIN = { colour: false, verbose: true };

/** Functions that render a whole report, by the name of the reporter. They escape control characters in the server's responses. */
const RENDERERS = {
  pretty: (report) => {
    const shown = printableValues(report);
    return `${shown.results.map((result) => renderResult(result, PLAIN)).join('')}\n${renderEnd(shown, PLAIN)}`;
  },
  brief: (report) => renderBrief(printableValues(report)),
  json: (report) => `${toJson(report, 2)}\n`,
  junit: (report) => renderJunit(printableValues(report)),
  tap: (report) => renderTap(printableValues(report)),
  github: (report) => renderAnnotations(printableValues(report)),
  html: (report) => renderHtml(printableValues(report)),
  sarif: (report) => `${toJson(toSarif(report), 2)}\n`,
  baseline: writeBaseline,
} as const satisfies Readonly<Record<string, (report: CaseReport) => string>>;

type ReporterName = keyof typeof RENDERERS;

export function render(reporter: ReporterName, report: CaseReport): string {
  return RENDERERS[reporter](report);
}

/** Names that `--reporter` accepts. `baseline` is missing because it has its own flag. */
const NAMED = listNames(RENDERERS).filter((name) => name !== 'baseline');
const isReporter = (name: string): name is ReporterName => NAMED.some((each) => each === name);

/** Where a reporter writes its report: to a file with an absolute path, or to stdout. */
export interface Destination {
  readonly reporter: ReporterName;
  readonly file: string | undefined;
}

const NAMES = NAMED.join(', ');

const destination: Kind<Destination> = parsed({
  placeholder: 'name[=file]',
  expects: `one of ${NAMES}, followed by =FILE to write a file`,
  parse(raw, { base }) {
    const [, name = '', file] = /^([a-z]+)(?:=(.+))?$/s.exec(String(raw)) ?? [];
    return isReporter(name) ? { reporter: name, file: file === undefined ? undefined : resolve(base, file) } : undefined;
  },
});

/**
 * Reads `--reporter`, `--json` and `--write-baseline`. If neither `--reporter` nor `--json` is given, `pretty` writes to stdout.
 *
 * @throws PasskeyError `usage` for an unknown reporter, for two reporters with the same file, and for two reporters on stdout whose output
 * a reader could not separate.
 */
export function readDestinations(io: Io, { reporter, json, writeBaseline: file }: Flags): readonly Destination[] {
  const named = reporter === undefined ? [] : readFlag(io, list(destination), '--reporter', reporter);
  const asked: readonly Destination[] = json === true ? [{ reporter: 'json', file: undefined }, ...named] : named;
  const baseline: readonly Destination[] =
    file === undefined ? [] : [{ reporter: 'baseline', file: readFlag(io, path('file'), '--write-baseline', file) }];
  if (asked.length === 0) return [{ reporter: 'pretty', file: undefined }, ...baseline];
  const wanted = [...asked, ...baseline].filter(
    (one, index, all) => all.findIndex((other) => other.reporter === one.reporter && other.file === one.file) === index,
  );
  checkFiles(wanted);
  checkOutput(wanted);
  return wanted;
}

function checkFiles(destinations: readonly Destination[]): void {
  for (const [index, { file, reporter }] of destinations.entries()) {
    const other = destinations.slice(0, index).find((each) => file !== undefined && each.file === file);
    if (other !== undefined) {
      throw new PasskeyError('usage', `--reporter: ${other.reporter} and ${reporter} cannot both write ${file}. Give each its own file.`);
    }
  }
}

/**
 * Refuses two reporters on stdout. The only exception is `github` after `pretty`, since GitHub's runner finds the lines of `github` within
 * other output.
 */
function checkOutput(destinations: readonly Destination[]): void {
  const printed = destinations.filter(({ file }) => file === undefined).map(({ reporter }) => reporter);
  const log = new Set<ReporterName>(['pretty', 'github']);
  if (printed.length < 2 || printed.every((reporter) => log.has(reporter))) return;
  throw new PasskeyError(
    'usage',
    `--reporter: ${printed.join(' and ')} cannot both be printed. Give all but one a file, such as ${printed.at(-1)}=FILE.`,
  );
}
