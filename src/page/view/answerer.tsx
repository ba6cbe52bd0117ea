import type { JSX } from 'preact';
import { answererText, attestationText, groupPersonas, isPersona, type Persona, PLAIN, THIS_BROWSER } from '../catalogue.js';
import { hasAuthenticator } from '../environment.js';
import { findAnswerer } from '../flow/ask.js';
import { useApp, useAppState } from '../use-app.js';
import { Popup } from './popup.js';
import { Hint } from './text.js';
import { usePersonas } from './use-personas.js';

/** Selects the authenticator for the ceremonies of this tab: this browser, or the server's software authenticator. */
export function Answerer(): JSX.Element {
  const chosen = useAppState(findAnswerer);
  const able = useAppState((state) => hasAuthenticator(state.notices, state.capabilities));
  const personas = usePersonas(isPersona(chosen));
  const text = answererText(chosen, personas);
  return (
    <Popup
      id="answerer"
      panel="answerers"
      class={chosen === THIS_BROWSER ? 'answerer' : 'answerer by-software'}
      text={
        <>
          <span class="hint">Answer with</span> {text}
          {chosen === THIS_BROWSER && !able && (
            <span class="badge warn" title="This browser has no authenticator of its own">
              !<span class="unseen"> It has no authenticator of its own.</span>
            </span>
          )}
        </>
      }
    >
      {() => <Answerers chosen={chosen} />}
    </Popup>
  );
}

function Answerers({ chosen }: { readonly chosen: string }): JSX.Element {
  const app = useApp();
  const local = useAppState((state) => state.server?.local === true);
  const refusal = useAppState((state) => state.server?.refusal ?? 'The server has not answered.');
  const personas = usePersonas(local);
  const able = useAppState((state) => hasAuthenticator(state.notices, state.capabilities));
  const reason = local ? (personas.status === 'failed' ? personas.why : undefined) : refusal;
  const choice = (name: string, title: string, about: string, quirks: readonly string[] = []) => (
    <div key={name} class="choice">
      <input
        id={`answer-with-${name}`}
        type="radio"
        name="answer-with"
        checked={name === chosen}
        disabled={name !== THIS_BROWSER && reason !== undefined}
        aria-describedby={`answer-with-${name}-about`}
        onChange={() => app.store.set({ answerWith: name })}
      />
      <label for={`answer-with-${name}`}>{title}</label>
      <Hint id={`answer-with-${name}-about`} text={[about, ...quirks].join('; ')} />
    </div>
  );
  return (
    <fieldset class="answerers">
      <legend class="unseen">Who answers the ceremonies of this tab</legend>
      {choice(
        THIS_BROWSER,
        'This browser',
        able ? 'Its own passkeys, security keys and phones.' : 'It reports no authenticator here; a software authenticator needs none.',
      )}
      {choice(
        PLAIN,
        'Software authenticator',
        'Runs on this server, without hardware or dialogs. Its keys are public, so it is for tests.',
      )}
      {reason !== undefined && <p class="hint remark">No software authenticator here: {reason}</p>}
      {personas.status === 'loading' && <p class="hint remark">Asking the server what it imitates…</p>}
      {personas.status === 'loaded' &&
        groupPersonas(personas.rows).map(({ heading, personas: rows }) => (
          <div key={heading} role="group" aria-label={heading}>
            <p class="fact group-heading" aria-hidden="true">
              {heading}
            </p>
            {rows.map((persona) => choice(persona.id, persona.title, persona.description, listQuirks(persona)))}
          </div>
        ))}
    </fieldset>
  );
}

/** Lists the quirks of a persona. Adds how it attests, if no quirk says so. */
function listQuirks(persona: Persona): readonly string[] {
  const attests = attestationText(persona);
  return attests === '' || persona.quirks.some((quirk) => quirk.startsWith('attests')) ? persona.quirks : [attests, ...persona.quirks];
}
