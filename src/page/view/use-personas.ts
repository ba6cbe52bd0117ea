import { useEffect } from 'preact/hooks';
import type { Listed, Persona } from '../catalogue.js';
import { loadPersonas } from '../flow/catalogue.js';
import { useApp, useAppState } from '../use-app.js';

/** Loads the personas of the software authenticator, unless they are already loaded, when a view first needs the name of one. */
export function usePersonas(wanted: boolean): Listed<Persona> {
  const app = useApp();
  useEffect(() => {
    if (wanted) void loadPersonas(app);
  }, [app, wanted]);
  return useAppState((state) => state.personas);
}
