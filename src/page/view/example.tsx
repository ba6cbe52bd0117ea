import type { JSX } from 'preact';

const STEPS = [
  'The client data are of a registration',
  'The challenge is the one that was given',
  'The origin is the expected one',
  'The RP ID hash is that of localhost',
] as const;

/** Widths of the segments of an attestation object, as `flex-grow`: the classes of welcome.css. */
const SEGMENTS = ['hash', 'flags', 'count', 'aaguid', 'id', 'key'] as const;

/** What a ceremony will look like here. Only for the eye. */
export function Example(): JSX.Element {
  return (
    <div class="example" aria-hidden="true">
      <p class="example-tag">Example</p>
      <p class="example-verdict">
        <span>✓</span> Verified
      </p>
      <ul>
        {STEPS.map((step) => (
          <li key={step}>
            <span>✓</span> {step}
          </li>
        ))}
        <li class="more-steps">25 more</li>
      </ul>
      <div class="strip">
        {SEGMENTS.map((segment) => (
          <span key={segment} class={`strip-${segment}`} />
        ))}
      </div>
      <p class="example-names">
        <code>rpIdHash</code> <code>flags</code> <code>credentialId</code> <code>publicKey</code>
      </p>
    </div>
  );
}
