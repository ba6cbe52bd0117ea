import { expect, test } from 'vitest';
import { KNOWN_PERSONAS } from '../../../src/authenticator/personas/personas.js';
import { personaRows } from '../../../src/cli/serve/personas.js';

test('a persona is described by its options, and by what they leave out', async () => {
  const rows = personaRows();
  expect(rows.map(({ id }) => id)).toEqual(Object.keys(KNOWN_PERSONAS));
  const lines = rows.map(({ id, name, title, about, description, quirks, evidence, ...traits }) => {
    const persona = KNOWN_PERSONAS[name];
    expect({ id, title, about, description, quirks, evidence }).toEqual({
      id: name,
      title: persona.title,
      about: persona.about,
      description: persona.about,
      quirks: persona.quirks,
      evidence: persona.evidence.kind,
    });
    return `${id}: ${JSON.stringify(traits)}\n`;
  });
  await expect(lines.join('')).toMatchFileSnapshot('personas.txt');
});
