import { join } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { asExpected } from '../../simulate/engine/report.js';
import type { ListedCase } from '../../simulate/engine/run-scenario.js';
import { renderEnd, renderResult } from '../../simulate/reporters/pretty.js';
import { listCases, type ScenarioOptions, type SimulateOptions, simulate } from '../../simulate/simulate.js';
import { count } from '../../webauthn/wording.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { duration, list, oneOf, path, text } from '../config/values.js';
import { hasColour, type Io, printAll, printJson, printJsonArray, progressLine, say } from '../io.js';
import { printableValues } from '../output/printable.js';
import { tableLines } from '../output/table.js';
import { packageFolder, version } from '../package.js';

const CHECK_FAILED = 1;

/** `passkey simulate [CASE…]`: 0 when at least one case ran and every outcome is the expected one, else 1. */
export async function run(io: Io, flags: Flags, names: readonly string[]): Promise<number> {
  const scenarios = scenariosOf(io, flags, names);
  const target = targetOf(io, flags);
  if (flags.list === true) {
    await report(io, flags, await listCases(scenarios));
    return 0;
  }
  if (target?.tokens?.length === 0) {
    throw new PasskeyError(
      'usage',
      '--url needs --token: no registration, login or verification can run without one. Give it twice, with the bearer tokens of two users of that server; `passkey token create --user EMAIL` prints one.',
    );
  }
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  io.signals.on('SIGINT', interrupt);
  try {
    return await runAll(io, flags, {
      ...scenarios,
      ...(target ? { target } : {}),
      bail: flags.bail === true,
      signal: stop.signal,
      version: version(),
    });
  } finally {
    io.signals.off('SIGINT', interrupt);
  }
}

async function runAll(io: Io, flags: Flags, options: SimulateOptions): Promise<number> {
  const json = flags.json === true;
  const style = { colour: hasColour(io, io.stdout) };
  const progress = progressLine(io);
  try {
    const result = await simulate({
      ...options,
      onPause(milliseconds) {
        progress.clear();
        say(io, `The server limits the rate of requests (429). Continuing in ${milliseconds / 1000} s.`);
      },
      onResult(each, { done, total }) {
        progress.clear();
        if (!json) io.stdout.write(renderResult(printableValues(each), style));
        progress.show(`${done} of ${total}`);
      },
    });
    progress.clear();
    if (json) printJson(io, result);
    else io.stdout.write(`\n${renderEnd(printableValues(result), style)}`);
    if (result.summary.not_applicable === result.summary.total) {
      say(io, 'Nothing ran: none of the selected cases is applicable (the reasons are above). Select others; --list shows them all.');
    }
    return asExpected(result) ? 0 : CHECK_FAILED;
  } finally {
    progress.clear();
  }
}

/** `--fixtures` stands for everything that runs by default: the fixtures that ship with this package, and its cases. */
function scenariosOf(io: Io, flags: Flags, names: readonly string[]): ScenarioOptions {
  const own = flags.fixtures === undefined;
  const tags = flags.tag === undefined ? [] : readFlag(io, list(text({ placeholder: 'tag' })), '--tag', flags.tag);
  return {
    fixtures: own ? [join(packageFolder(), 'fixtures')] : readFlag(io, list(path('path')), '--fixtures', flags.fixtures),
    cases: own,
    select: { ids: names, tags },
    ...(flags.replay === undefined ? {} : { replay: readFlag(io, list(oneOf(['verbatim', 'rebound'])), '--replay', flags.replay) }),
  };
}

const timeout = duration({ min: 100, max: 3_600_000 });

function targetOf(io: Io, { url, token = [], appUrl, timeout: within }: Flags): SimulateOptions['target'] {
  const tokens = Array.isArray(token) ? token.map(String) : [];
  const answerWithin = within === undefined ? undefined : readFlag(io, timeout, '--timeout', within);
  if (typeof url === 'string') {
    return { url, tokens, ...(typeof appUrl === 'string' && { origin: appUrl }), ...(answerWithin !== undefined && { answerWithin }) };
  }
  const without =
    appUrl === undefined ? (tokens.length > 0 ? '--token' : answerWithin === undefined ? undefined : '--timeout') : '--app-url';
  if (without !== undefined) throw new PasskeyError('usage', `${without} needs a running server. Name it with --url.`);
  return undefined;
}

const COLUMNS = [{ title: 'CASE' }, { title: 'EXPECTED', max: 44, yields: 1 }, { title: 'TAGS', yields: 2 }];

async function report(io: Io, flags: Flags, cases: readonly ListedCase[]): Promise<void> {
  if (flags.json === true) return printJsonArray(io, cases);
  const lines = tableLines(io, COLUMNS, cases, ({ id, replay, expected, tags }) => [
    replay ? `${id} ${replay}` : id,
    expected,
    tags.join(' '),
  ]);
  await printAll(io, lines);
  say(io, count(cases.length, 'case'));
}
