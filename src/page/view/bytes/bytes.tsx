import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Unannotated } from '../../../explain/document-schema.js';
import { isObject, type JsonObject } from '../../../kernel/json-value.js';
import { count } from '../../../kernel/wording.js';
import { type Asked, decodeResponse, undecoded } from '../../decode.js';
import { type Annotated, annotate } from '../../flow/explain.js';
import { stringAt } from '../../json.js';
import { useApp } from '../../use-app.js';
import { Hex } from './hex.js';
import { cutSegments, failedPaths, findMalformed, findStructures, keyStructure, type Structure } from './structure.js';
import { Tree } from './tree.js';

interface BytesProps {
  readonly response: JsonObject;
  /** Fields of the response as decoded by the server, or the reason why there are none. */
  readonly annotated: Annotated;
  readonly asked: Asked;
  /** Slug of the step that failed. The bytes that this step checks are marked. */
  readonly failed: string | undefined;
  /** Public key of the credential record (base64url), shown together with the response. */
  readonly publicKey: string | undefined;
}

/** Shows the parts of a response: coloured bytes next to the decoded tree. */
export function Bytes({ response, annotated, asked, failed, publicKey }: BytesProps): JSX.Element {
  const { structures, rest } = useMemo(() => {
    const fields = 'annotation' in annotated ? decodeResponse(annotated.annotation, asked) : undecoded(response);
    return findStructures(fields, response);
  }, [annotated, asked, response]);
  const tree = 'annotation' in annotated ? annotated.annotation.public_key : null;
  const key = useMemo(() => keyStructure(publicKey, tree), [publicKey, tree]);
  const marked = new Set(rest.flatMap((field) => failedPaths(failed, field)));
  // What the failed step looks at comes first.
  const all = [...structures, ...(key === undefined ? [] : [key])];
  const looked = all.filter(({ field }) => failedPaths(failed, field).length > 0);
  const ordered = [...looked, ...all.filter((structure) => !looked.includes(structure))];
  return (
    <section class="stack section bytes" aria-labelledby="bytes-heading">
      <h3 id="bytes-heading">Bytes</h3>
      {'problem' in annotated && <p class="hint">Not decoded: {annotated.problem}</p>}
      {ordered.map((structure) => (
        <StructureView key={structure.name} structure={structure} failed={failed} />
      ))}
      {rest.length > 0 && (
        <section class="card structure">
          <h4>Other members of the response</h4>
          <Tree fields={rest} label="Other members of the response" failed={marked} />
        </section>
      )}
    </section>
  );
}

function StructureView({ structure, failed }: { readonly structure: Structure; readonly failed: string | undefined }): JSX.Element {
  const { field, title, bytes, name } = structure;
  const [hovered, hover] = useState<string>();
  const [focused, focus] = useState<string>();
  const segments = useMemo(() => cutSegments(structure), [structure]);
  const tones = useMemo(
    () => new Map(segments.filter(({ frame, tone }) => !frame || tone > 0).map(({ path, tone }) => [path, tone])),
    [segments],
  );
  const marked = useMemo(() => new Set(failedPaths(failed, field)), [failed, field]);
  const light = { lit: hovered ?? focused, hover, focus };
  const whole = field.children === undefined || field.children.length === 0;
  // A format or an algorithm; what is hexadecimal stands below.
  const summary = whole || name === 'signature' ? undefined : field.value;
  return (
    <section class="card structure" aria-label={title} data-structure={name}>
      <h4 class="words">
        {title} <span class="mono muted">{count(bytes.length, 'byte')}</span>
        {summary !== undefined && <span class="mono muted">{summary}</span>}
      </h4>
      {field.verdict === 'bad' && !whole && <p class="problem">{field.note}</p>}
      <div class={structure.text ? 'structure-parts with-text' : 'structure-parts'}>
        <Hex structure={structure} segments={segments} failed={marked} malformed={findMalformed(field)} light={light} />
        <Tree
          fields={whole || marked.has(field.name) ? [field] : (field.children ?? [])}
          parent={whole || marked.has(field.name) ? '' : field.name}
          label={`${title}, decoded`}
          failed={marked}
          toneOf={(path) => toneAt(tones, path)}
          light={light}
        />
      </div>
    </section>
  );
}

/**
 * Finds the colour of the bytes that a line of the tree shows. A single flag has the colour of the whole flags byte. A line of several
 * segments has no colour.
 */
function toneAt(tones: ReadonlyMap<string, number>, path: string): number | undefined {
  const own = tones.get(path);
  if (own !== undefined) return own;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return parent === '' ? undefined : tones.get(parent);
}

/** Reads the public key (base64url) in a fixture's credential record. */
export function publicKeyIn(fixture: JsonObject | null | undefined): string | undefined {
  const credential = fixture?.['credential'];
  return isObject(credential) ? stringAt(credential, 'publicKey') : undefined;
}

/** Loads the decoded fields of a response; undefined if there is no response or the server has not sent the fields yet. */
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
