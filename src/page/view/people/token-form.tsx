import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { adoptToken } from '../../flow/account.js';
import { useApp } from '../../use-app.js';

/** A bearer token of the command line. The input stays until the server has accepted it. */
export function TokenForm({ onIn }: { readonly onIn: () => void }): JSX.Element {
  const app = useApp();
  const token = useRef<HTMLInputElement>(null);
  const submit = async () => {
    if (await adoptToken(app, token.current?.value ?? '')) onIn();
  };
  return (
    <form
      id="use-token"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label for="token">Bearer token</label>
      <div class="beside">
        <input id="token" ref={token} name="token" type="password" required autocomplete="off" spellcheck={false} />
        <button type="submit">Use this token</button>
      </div>
    </form>
  );
}
