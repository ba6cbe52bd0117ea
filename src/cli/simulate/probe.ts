import { PasskeyError } from '../../errors.js';
import { openDriver } from '../../simulate/target/open-driver.js';
import { probe } from '../../simulate/target/probe.js';
import type { Flags } from '../config/resolve.js';
import { hasColour, type Io, printJson, say } from '../io.js';
import { printableValues } from '../output/printable.js';
import { renderFound, renderStep } from './probe-lines.js';
import { readTarget } from './target.js';

const CHECK_FAILED = 1;
const UNREACHABLE = 4;

/** `passkey simulate --probe`: 0 when the profile fits, 1 when a line of it does not, 4 when the target never answered. */
export async function probeTarget(io: Io, flags: Flags): Promise<number> {
  const target = await readTarget(io, flags);
  if (target?.profile === undefined) {
    throw new PasskeyError('usage', '--probe needs a running server. Name it with --url, and its profile with --target.');
  }
  const { profile: read, url, ...reach } = target;
  const json = flags.json === true;
  const style = { colour: hasColour(io, io.stdout) };
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  io.signals.on('SIGINT', interrupt);
  const driver = openDriver({
    ...reach,
    ...read,
    url,
    signal: stop.signal,
    onPause: (milliseconds) => say(io, `The server limits the rate of requests (429). Continuing in ${milliseconds / 1000} s.`),
  });
  try {
    const report = await probe({
      ...read,
      driver,
      url,
      onStep(step) {
        if (!json) io.stdout.write(renderStep(printableValues(step), style));
      },
    });
    if (json) printJson(io, report);
    else io.stdout.write(renderFound(printableValues(report), style));
    return report.passed ? 0 : report.answered ? CHECK_FAILED : UNREACHABLE;
  } finally {
    io.signals.off('SIGINT', interrupt);
    driver.close();
  }
}
