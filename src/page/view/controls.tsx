import type { ButtonHTMLAttributes, ComponentChildren, FormHTMLAttributes, JSX } from 'preact';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly id: string;
  /** Reason why the button cannot be pressed now. A blocked button can still have the focus, and screen readers read the reason. */
  readonly blocked: string | undefined;
  readonly title?: string;
  /** True for the button of the recommended next step. */
  readonly primary?: boolean;
}

/** Button that can be blocked, showing the reason. */
export function Button({ id, blocked, title, primary = false, children, ...rest }: ButtonProps): JSX.Element {
  return (
    <>
      <button
        id={id}
        type="button"
        {...(primary && { class: 'primary' })}
        {...rest}
        aria-disabled={blocked !== undefined}
        aria-describedby={`${id}-blocked`}
        title={blocked ?? title}
      >
        {children}
      </button>
      <span id={`${id}-blocked`} class="unseen">
        {blocked}
      </span>
    </>
  );
}

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  readonly onSend: () => unknown;
  /** Called when the user presses Escape. The key then closes only the form, not the views around it. */
  readonly onEscape?: () => void;
}

/** Form that calls `onSend` instead of being submitted by the browser. */
export function Form({ onSend, onEscape, ...rest }: FormProps): JSX.Element {
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || onEscape === undefined) return;
        event.stopPropagation();
        onEscape();
      }}
    />
  );
}

interface CheckProps {
  readonly id?: string;
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
  readonly children: ComponentChildren;
}

/** Check box with its label. */
export function Check({ id, checked, onCheck, children }: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input id={id} type="checkbox" checked={checked} onChange={({ currentTarget }) => onCheck(currentTarget.checked)} />
      {children}
    </label>
  );
}

interface SearchProps {
  readonly id?: string;
  /** Accessible name of the search field, for screen readers. */
  readonly name: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** Field for searching a list. */
export function Search({ id, name, placeholder, value, onSearch }: SearchProps): JSX.Element {
  return (
    <input
      id={id}
      type="search"
      autocomplete="off"
      dir="auto"
      aria-label={name}
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => onSearch(currentTarget.value)}
    />
  );
}
