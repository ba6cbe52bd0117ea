import type { EndedCeremony } from '../../browse/ceremony.js';
import type { ExplainDocument } from '../../explain/document-schema.js';
import { count, formatSecond } from '../../kernel/wording.js';
import { printable } from '../output/printable.js';
import type { Paint } from '../output/wrap.js';

const SITE = { accepted: 'accepted', refused: 'refused', failed: 'failed on', unknown: 'answered' } as const;

/**
 * Renders a ceremony as one line: `10:30:00 registration at https://example.org by yubikey-5: the site accepted it (200); every step
 * accepts it`. If the ceremony was refused, the line ends in the headline of the explanation. If the call got an exception, the line ends
 * in the headline only if the recording shows the reason.
 */
export function renderCeremony(
  { at, kind, origin, isConditional, persona, tamper, error, explanation }: EndedCeremony,
  paint: Paint,
): string {
  const time = formatSecond(at).slice(11, 19);
  const who = [persona === null ? '' : ` by ${persona}`, tamper === null ? '' : `, broken with ${tamper}`].join('');
  const what = `${kind}${isConditional ? ' from autofill' : ''} at ${origin}${who}`;
  const lint = explanation.advice.length === 0 ? '' : paint.dim(` · ${count(explanation.advice.length, 'remark')} on the options`);
  const outcome = error === undefined ? renderVerdicts(explanation, paint) : paint.red(printable(renderError(error, explanation)));
  return `${paint.dim(time)} ${printable(what)}: ${outcome}${lint}`;
}

/** Renders an exception. The reason comes first, and then the exception's own message. */
function renderError({ name, message }: NonNullable<EndedCeremony['error']>, { headline }: ExplainDocument): string {
  return `${headline === null ? '' : `${headline}; `}${name}: ${message}`;
}

function renderVerdicts({ headline, server, verdict, steps }: ExplainDocument, paint: Paint): string {
  const status = server === null || server.status === null ? '' : ` (${server.status})`;
  const site = server === null ? 'its response was not seen' : `the site ${SITE[server.verdict]} it${status}`;
  const isRefused = server?.verdict === 'refused' || server?.verdict === 'failed';
  const colour = server?.agrees === false ? paint.red : server?.agrees === true ? paint.green : paint.yellow;
  return colour(printable(`${isRefused && headline !== null ? headline : site}; ${renderSteps(verdict, steps)}`));
}

function renderSteps(verdict: ExplainDocument['verdict'], steps: ExplainDocument['steps']): string {
  const failed = steps.find(({ status }) => status === 'fail');
  if (failed !== undefined) return `§${failed.section} step ${failed.number} (${failed.slug}) rejects it`;
  const open = steps.filter((step) => step.open).map(({ slug }) => slug);
  return verdict === 'accepted' ? 'every step accepts it' : `no step rejects it; open: ${open.join(', ')}`;
}
