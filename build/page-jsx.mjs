// What JSX in the page compiles to; esbuild injects it.
export { Fragment, h } from 'preact';
