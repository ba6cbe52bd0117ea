import { expect, test } from 'vitest';
import { ScenarioEnded } from '../../../src/simulate/engine/scenario.js';
import { holdCreationOptions } from '../../../src/simulate/engine/wants.js';
import { creation } from '../../client/ceremony.js';

test.each([
  ['cross-platform', true],
  ['platform', false],
  [undefined, true],
] as const)('creation options with the attachment %s suit a security key: %s', (authenticatorAttachment, suitable) => {
  const authenticatorSelection = authenticatorAttachment === undefined ? {} : { authenticatorAttachment };
  const hold = () => holdCreationOptions({ attachment: 'cross-platform' }, creation({ authenticatorSelection }));
  if (suitable) expect(hold).not.toThrow();
  else expect(hold).toThrow(ScenarioEnded);
});

test.each([
  [{ residentKey: 'required' }, true],
  [{ requireResidentKey: true }, true],
  [{ residentKey: 'preferred', requireResidentKey: true }, false],
  [{ requireResidentKey: false }, false],
  [{}, false],
])('creation options with %j ask for a discoverable credential: %s', (authenticatorSelection, required) => {
  const hold = () => holdCreationOptions({ residentKey: 'required' }, creation({ authenticatorSelection }));
  if (required) expect(hold).not.toThrow();
  else expect(hold).toThrow(ScenarioEnded);
});
