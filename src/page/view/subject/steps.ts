import type { ExplainDocument } from '../../../explain/document-schema.js';
import { isObject } from '../../../kernel/json-value.js';
import { count } from '../../../kernel/wording.js';
import type { Item } from '../../items.js';
import { numberAt, stringAt } from '../../json.js';
import { findProblem } from '../../run.js';

export type Step = ExplainDocument['steps'][number];

/**
 * A failed step of a verification procedure, with only those members that the explanation, the problem document and the stream all have.
 */
export type FailedStep = Pick<Step, 'section' | 'number' | 'slug' | 'title' | 'expected' | 'received' | 'hint'>;

/** Lists the failed steps of an explanation. Until there is an explanation, lists the step that the server's refusal names. */
export function failedSteps(item: Item, explanation: ExplainDocument | undefined): readonly FailedStep[] {
  const failed = explanation?.steps.filter(({ status }) => status === 'fail') ?? [];
  if (failed.length > 0) return failed;
  const refusedStep = stepIn(item.run === undefined ? undefined : findProblem(item.run)) ?? item.entry?.step ?? undefined;
  return refusedStep === undefined ? [] : [refusedStep];
}

/** Reads the member `step` of a problem document. */
function stepIn(problem: unknown): FailedStep | undefined {
  const step = isObject(problem) ? problem['step'] : undefined;
  const section = stringAt(step, 'section');
  const number = numberAt(step, 'number');
  if ((section !== '7.1' && section !== '7.2') || number === undefined) return undefined;
  const text = (member: string) => stringAt(step, member) ?? null;
  return {
    section,
    number,
    slug: text('slug') ?? '',
    title: text('title') ?? '',
    expected: text('expected'),
    received: text('received'),
    hint: text('hint'),
  };
}

/** Finds the slug of the step that failed, in the explanation or in the server's refusal. */
export function failedSlug(item: Item, explanation: ExplainDocument | undefined): string | undefined {
  return explanation?.steps.find(({ status }) => status === 'fail')?.slug ?? item.entry?.step?.slug;
}

/** Counts the steps by status: `29 steps pass`, `1 step fails, 22 pass, 4 open, 2 skipped`. */
export function tally(steps: readonly { readonly status: Step['status'] | 'warn'; readonly open?: boolean }[], noun = 'step'): string {
  const of = (wanted: Step['status']) => steps.filter(({ status }) => status === wanted).length;
  const open = steps.filter((step) => step.open === true).length;
  const [failed, passed, skipped] = [of('fail'), of('pass'), of('skip') - open];
  const rest = `${open === 0 ? '' : `, ${open} open`}${skipped === 0 ? '' : `, ${skipped} skipped`}`;
  if (failed === 0) return `${count(passed, noun)} ${passed === 1 ? 'passes' : 'pass'}${rest}`;
  return `${count(failed, noun)} ${failed === 1 ? 'fails' : 'fail'}, ${passed} pass${rest}`;
}

/** Describes the verdict of the verification library, shown next to the steps. */
export function libraryLine({
  library,
  difference,
  verdict: own,
}: ExplainDocument): { readonly differs: boolean; readonly text: string } | undefined {
  if (library === null) return undefined;
  const { verdict, reason } = library;
  const why = reason === null ? '' : `: ${reason.replace(/\.$/, '')}`;
  const too = verdict === own ? ' too' : '';
  const differs = difference !== null;
  switch (verdict) {
    case 'accepted':
      return { differs, text: `The verification library accepts it${too}.` };
    case 'rejected':
      return { differs, text: `The verification library refuses it${too}${why}.` };
    case 'not-asked':
      return { differs, text: `The verification library was not asked${why}.` };
  }
}
