import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { h } from '../dom.js';
import type { App } from '../flow/app.js';
import { remarksOn } from '../setup/remarks.js';
import { parseDictionary } from '../setup/setup.js';

/** The members of one dictionary as JSON; what is typed there shows in the form as soon as it can be read. */
export function jsonEditor(app: App, dictionary: CeremonyKind, title: string): Node {
  const id = `options-${dictionary}-json`;
  const problem = h('p', { id: `${id}-problem`, class: 'hint problem', role: 'alert' });
  const editor = h('textarea', {
    id,
    rows: 6,
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-describedby': `${id}-problem ${id}-remarks`,
  });
  const remarks = h('p', { id: `${id}-remarks`, class: 'hint remarks' });
  editor.addEventListener('input', () => {
    const parsed = parseDictionary(editor.value);
    const wrong = 'problem' in parsed;
    problem.textContent = wrong ? parsed.problem : '';
    editor.setAttribute('aria-invalid', String(wrong));
    if (!wrong) {
      app.store.set({ setup: { ...app.store.get().setup, [dictionary]: parsed.value } });
    }
  });
  editor.addEventListener('blur', () => {
    if (editor.getAttribute('aria-invalid') !== 'true') {
      editor.value = format(app.store.get().setup[dictionary]);
    }
  });
  app.store.watch(['setup'], ({ setup }) => {
    remarks.textContent = remarksOn(dictionary, setup[dictionary]).join(' ');
    if (document.activeElement !== editor) {
      editor.value = format(setup[dictionary]);
      problem.textContent = '';
      editor.setAttribute('aria-invalid', 'false');
    }
  });
  return h('div', { class: 'option wide' }, h('label', { for: id }, `${title} as JSON`), editor, problem, remarks);
}

function format(value: object): string {
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);
}
