import type { JSX } from 'preact';

/** A remark; what stands between backquotes in it is set as code. */
export function Hint({ text, id }: { readonly text: string; readonly id?: string }): JSX.Element {
  return (
    <p id={id} class="hint">
      <Marked text={text} />
    </p>
  );
}

/** A text in which what stands between backquotes is set as code. */
export function Marked({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
