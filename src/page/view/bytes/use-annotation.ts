import { useEffect, useState } from 'preact/hooks';
import type { Unannotated } from '../../../explain/document-schema.js';
import { type Annotated, annotate } from '../../flow/annotate.js';
import { useApp } from '../../use-app.js';

/** The fields of a response; undefined until the server has answered, and where there is no response. */
export function useAnnotation({ response, publicKey, rpId }: Unannotated): Annotated | undefined {
  const app = useApp();
  const [found, setFound] = useState<{ readonly of: Unannotated['response']; readonly annotated: Annotated }>();
  useEffect(() => {
    if (response === undefined) return undefined;
    let wanted = true;
    void annotate(app, { response, publicKey, rpId }).then((annotated) => {
      if (wanted) setFound({ of: response, annotated });
    });
    return () => {
      wanted = false;
    };
  }, [app, response, publicKey, rpId]);
  // The fields stay while the key of the record is still asked for.
  return response !== undefined && found?.of === response ? found.annotated : undefined;
}
