import { splitPointer } from '../../kernel/json-location.js';
import { asObject } from '../../kernel/json-value.js';

/**
 * Names a position in a profile, for messages: `register, POST /register, take/id` for `/register/0/take/id`. Also works for a document
 * that is not a valid profile.
 */
export function namePlace(document: unknown, pointer: string): string {
  const tokens = splitPointer(pointer);
  // The lists of a gate stand deeper than the others: `/gates/locked/set/0`.
  const depth = tokens[0] === 'gates' && (tokens[2] === 'set' || tokens[2] === 'lift') ? 3 : 1;
  const list = tokens.slice(0, depth).join(' ');
  const [index, ...rest] = tokens.slice(depth);
  const steps = tokens.slice(0, depth).reduce((value: unknown, token) => asObject(value)[token], document);
  if (index === undefined || !Array.isArray(steps)) return pointer || 'the whole document';
  return [list, nameStep(asObject(steps[Number(index)])) ?? `step ${Number(index) + 1}`, ...(rest.length > 0 ? [rest.join('/')] : [])].join(
    ', ',
  );
}

/** Names a step of a profile by its request without the query, followed by its condition. Undefined if the step has no request. */
function nameStep({ request, exec, value, if: onlyIf, unless }: Readonly<Record<string, unknown>>): string | undefined {
  const command: unknown = Array.isArray(exec) ? exec[0] : undefined;
  const sent = typeof request === 'string' ? request.split('?')[0] : (command ?? (value === undefined ? undefined : 'value'));
  if (typeof sent !== 'string') return undefined;
  return [sent, ...(typeof onlyIf === 'string' ? [`if ${onlyIf}`] : []), ...(typeof unless === 'string' ? [`unless ${unless}`] : [])].join(
    ' ',
  );
}
