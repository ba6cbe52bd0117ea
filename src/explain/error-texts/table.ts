import { APP_TEXTS } from './apps.js';
import { BROWSER_TEXTS } from './browsers.js';
import { DOTNET_TEXTS } from './dotnet.js';
import { EXCEPTION_NAMES } from './exceptions.js';
import { GO_AND_RUST_TEXTS } from './go-and-rust.js';
import { JAVA_TEXTS } from './java.js';
import { JAVASCRIPT_TEXTS } from './javascript.js';
import { PAGE_TEXTS } from './pages.js';
import { PHP_TEXTS } from './php.js';
import { PYTHON_TEXTS } from './python.js';
import type { ErrorText } from './row.js';
import { RUBY_TEXTS } from './ruby.js';
import { WORDS } from './words.js';

/** Error messages of server libraries. If two libraries use the same message, the first row decides which library is named. */
export const SERVER_TEXTS: readonly ErrorText[] = [
  ...JAVASCRIPT_TEXTS,
  ...PYTHON_TEXTS,
  ...GO_AND_RUST_TEXTS,
  ...JAVA_TEXTS,
  ...DOTNET_TEXTS,
  ...PHP_TEXTS,
  ...RUBY_TEXTS,
];

/** Error messages of browsers, phones and password managers. */
export const CLIENT_TEXTS: readonly ErrorText[] = [...APP_TEXTS, ...BROWSER_TEXTS];

/** Error messages of server libraries, and phrases that applications write themselves. */
export const ANSWER_TEXTS: readonly ErrorText[] = [...SERVER_TEXTS, ...WORDS];

/** Every known error message, the most specific first. docs/troubleshooting.md lists them. */
export const ERROR_TEXTS: readonly ErrorText[] = [
  ...SERVER_TEXTS,
  ...APP_TEXTS,
  ...BROWSER_TEXTS,
  ...PAGE_TEXTS,
  ...WORDS,
  ...EXCEPTION_NAMES,
];
