import { getPath, stringAt } from './json.js';
import type { HttpLeg } from './run.js';

/** One sentence about an answer that is not a success. Where a step is told, its detail stands in a table of its own. */
export function describeFailure(leg: HttpLeg): string {
  if (leg.failure !== undefined) {
    return leg.failure;
  }
  const { answer } = leg;
  const title = stringAt(answer, 'title');
  const short = title !== undefined && getPath(answer, ['step']) !== undefined ? `${title}.` : undefined;
  const text = short ?? stringAt(answer, 'detail') ?? title ?? 'The server gave no reason.';
  const code = stringAt(answer, 'code');
  return `${leg.status}${code === undefined ? '' : ` ${code}`}: ${text}`;
}
