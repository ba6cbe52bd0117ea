import type { JSX } from 'preact';
import type { PasskeyRow } from '../../state.js';

/** The stored credential in full. */
export function PasskeyDetails({ passkey }: { readonly passkey: PasskeyRow }): JSX.Element {
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ['Credential ID', passkey.credential_id],
    ['Provider', passkey.provider],
    ['AAGUID', passkey.aaguid],
    ['User handle', passkey.user_handle],
    ['Public key', passkey.public_key],
    ['Algorithm', passkey.algorithm],
    ['Attestation', passkey.attestation_format],
    ['Registered at', passkey.origin],
    ['User verified', passkey.uv_initialized === undefined ? undefined : passkey.uv_initialized ? 'at least once' : 'never'],
  ];
  const id = `passkey-${passkey.id}-details`;
  return (
    <details id={id} class="part">
      <summary id={`${id}-summary`}>
        Details<span class="unseen"> of {passkey.label}</span>
      </summary>
      <dl>
        {rows.map(
          ([name, value]) =>
            typeof value === 'string' && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <code>{value}</code>
                </dd>
              </div>
            ),
        )}
      </dl>
    </details>
  );
}
