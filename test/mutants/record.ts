import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

declare global {
  var recordMutant: ((id: number) => void) | undefined;
}

const path = process.env.PASSKEY_MUTANT_HITS;
if (path !== undefined) {
  const [atLoad, inTests] = [new Set<number>(), new Set<number>()];
  globalThis.recordMutant = (id) => {
    (expect.getState().currentTestName === undefined ? atLoad : inTests).add(id);
  };
  afterAll(() => {
    appendFileSync(path, `${JSON.stringify({ file: expect.getState().testPath, atLoad: [...atLoad], inTests: [...inTests] })}\n`);
  });
}
