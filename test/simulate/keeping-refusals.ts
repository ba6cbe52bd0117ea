import type { InProcessServer } from '../../src/simulate/engine/in-process.js';
import type { HttpTarget } from '../../src/simulate/http/http.js';

/** The same server, and the documents of all that it has refused. */
export function keepingRefusals(inProcess: InProcessServer): { readonly server: InProcessServer; readonly refusals: readonly unknown[] } {
  const refusals: unknown[] = [];
  const keeping = (target: HttpTarget): HttpTarget => ({
    ...target,
    async send(...request) {
      const answer = await target.send(...request);
      if (answer.status >= 400) refusals.push(answer.json);
      return answer;
    },
  });
  const server: InProcessServer = {
    ...inProcess,
    async open(setup) {
      const opened = await inProcess.open(setup);
      return { ...opened, target: keeping(opened.target), injected: keeping(opened.injected) };
    },
  };
  return { server, refusals };
}
