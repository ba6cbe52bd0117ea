import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { explain, explainFile } from '../flow/explain.js';
import { useApp } from '../use-app.js';

const TYPED_INTO = 'input, textarea, select, [contenteditable]';

/** Accepts data pasted or dropped anywhere on the page except in fields. Shows a drop target while the user drags something. */
export function DropTarget(): JSX.Element | null {
  const app = useApp();
  const [dragged, setDragged] = useState(false);
  useEffect(() => {
    const take = async (data: DataTransfer) => {
      const files = [...data.files];
      const input = data.getData('text/plain');
      for (const file of files) await explainFile(app, file);
      if (files.length === 0 && input.trim() !== '') await explain(app, { input });
    };
    const paste = (event: ClipboardEvent) => {
      const { clipboardData, target } = event;
      // A field takes text, but no file.
      if (clipboardData === null || (isField(target) && clipboardData.files.length === 0)) return;
      event.preventDefault();
      void take(clipboardData);
    };
    const over = (event: DragEvent) => {
      if (!fits(event)) return;
      event.preventDefault();
      setDragged(true);
    };
    const leave = (event: DragEvent) => {
      // Out of the window.
      if (event.relatedTarget === null) setDragged(false);
    };
    const drop = (event: DragEvent) => {
      setDragged(false);
      if (!fits(event) || event.dataTransfer === null) return;
      event.preventDefault();
      void take(event.dataTransfer);
    };
    const ends = [listen('paste', paste), listen('dragover', over), listen('dragleave', leave), listen('drop', drop)];
    return () => {
      for (const end of ends) end();
    };
  }, [app]);
  return dragged ? (
    <div class="drop-target">
      <p class="stack">
        <strong>Drop it to have it explained</strong>
        options, responses, fixtures, HAR, certificates, a saved ceremony
      </p>
    </div>
  ) : null;
}

/** Tests whether the page should accept dragged data. Text dragged onto a field is left to that field. */
function fits({ dataTransfer, target }: DragEvent): boolean {
  const types = dataTransfer?.types ?? [];
  return types.includes('Files') || (types.includes('text/plain') && !isField(target));
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches(TYPED_INTO);
}

function listen<K extends 'paste' | 'dragover' | 'dragleave' | 'drop'>(
  type: K,
  listener: (event: DocumentEventMap[K]) => void,
): () => void {
  document.addEventListener(type, listener);
  return () => document.removeEventListener(type, listener);
}
