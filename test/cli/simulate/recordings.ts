import { writeFixture } from '../../../src/fixture/write.js';
import { flipBit } from '../../../src/simulate/engine/edits.js';
import { editBytes } from '../../simulate/fixture-edits.js';
import { recordSoftwareCeremonies } from '../../simulate/software-ceremonies.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

/** A folder with `fixtures/`: the login `good`, and `bad`, whose signature has a wrong bit, so that it fails its replay. */
export async function recordings() {
  const cwd = await tempFolder();
  const { login } = await recordSoftwareCeremonies();
  const fixtures = `${cwd}/fixtures`;
  const good = { ...login, name: 'good' };
  const bad = { ...editBytes('signature', flipBit(-1))(login), name: 'bad' };
  await writeFixture(fixtures, good);
  await writeFixture(fixtures, bad);
  const simulate = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runIn(cwd, ['simulate', '--fixtures', 'fixtures', '--replay', 'verbatim', ...argv], env);
  return { cwd, fixtures, good, bad, simulate };
}
