import { PasskeyError } from '../../errors.js';
import { locateJsonError } from '../../kernel/json-location.js';
import { parseJson } from '../../kernel/json-value.js';
import { makeShape } from '../../kernel/shape.js';
import { type Flow, type Flows, flowsSchema } from '../../testing/page/flow.js';
import type { Io } from '../io.js';
import { printable } from '../output/printable.js';
import { readText } from '../read-text.js';

const shape = makeShape(flowsSchema);

/**
 * Reads the flows of a page from a file, and replaces each `${env:NAME}` by the environment variable NAME.
 *
 * @throws PasskeyError `usage` naming the position of a mistake in the file, and for a variable that is not set.
 */
export async function readFlows(io: Io, file: string): Promise<Flows> {
  const text = await readText(io, file);
  const refused = (place: string, detail: string) => new PasskeyError('usage', printable(`--flow ${file}${place}: ${detail}`));
  const wrong = locateJsonError(text);
  if (wrong !== undefined) throw refused(`:${wrong.line}:${wrong.column}`, `expected ${wrong.expected}, received ${wrong.received}.`);
  const flows = parseJson(text);
  if (!shape.fits(flows)) {
    const [misfit] = shape.findMisfits(flows);
    throw refused(
      '',
      `${misfit?.place === '' ? 'the document' : misfit?.place} ${misfit?.message}. \`passkey browse URL --record-flow FILE\` writes one.`,
    );
  }
  const fill = (flow: Flow): Flow =>
    flow.map((step) => {
      if (!('fill' in step)) return step;
      const value = step.value.replaceAll(/\$\{env:(\w+)\}/g, (_, name: string) => {
        const set = io.env[name];
        if (set !== undefined) return set;
        throw refused('', `the field ${JSON.stringify(step.fill.name)} needs the variable ${name}. Set it in the environment.`);
      });
      return { ...step, value };
    });
  const { register, login, remove, rename, password } = flows;
  return {
    register: fill(register),
    login: fill(login),
    ...(remove && { remove: fill(remove) }),
    ...(rename && { rename: fill(rename) }),
    ...(password && { password: fill(password) }),
  };
}
