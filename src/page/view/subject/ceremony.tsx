import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { TreeDocument } from '../../../explain/document-schema.js';
import { fieldOfTree } from '../../decode.js';
import { type Item, materialOf } from '../../items.js';
import { useAppState } from '../../use-app.js';
import { Bytes, publicKeyIn } from '../bytes/bytes.js';
import { Tree } from '../bytes/tree.js';
import { useAnnotation } from '../bytes/use-annotation.js';
import { Share } from '../share/share.js';
import { askedOf, explanationOf, failedSlug } from './asked.js';
import { Checklist, Findings } from './checklist.js';
import { CompareWith } from './compare-with.js';
import { Comparison } from './comparison.js';
import { Head } from './head.js';
import { Legs } from './legs.js';
import { failedSteps } from './steps.js';
import { awaitsExplanation } from './told.js';
import { Unanswered } from './unanswered.js';

/** One item whole: verdict, steps, bytes, messages. */
export function Ceremony({ item }: { readonly item: Item }): JSX.Element {
  const { key, entry, kind, verdict, pasted } = item;
  const known = useAppState((state) => (entry === undefined ? undefined : state.details.get(entry.id)));
  const details = useAppState((state) => state.details);
  const followed = useAppState((state) => state.live || state.stream.length > 0);
  const detail = known?.status === 'loaded' ? known.detail : undefined;
  const explanation = explanationOf(item, detail);
  const { options, response } = materialOf(item, details);
  const asked = useMemo(
    () => askedOf(item, { options, response }, explanation, location),
    [item.run, item.entry, options, response, explanation],
  );
  const publicKey =
    kind === 'registration' || response === undefined || 'attestationObject' in response ? undefined : publicKeyIn(detail?.fixture);
  const annotated = useAnnotation({ response, publicKey, rpId: asked.rpId });
  const decoding = response !== undefined && annotated === undefined;
  return (
    <article class="ceremony" data-key={key} data-verdict={verdict} data-kind={kind} aria-labelledby={`${key}-heading`}>
      <Head item={item} detail={detail}>
        <CompareWith item={item} />
        <Share item={item} />
      </Head>
      <Comparison item={item} />
      {known?.status === 'failed' && <p class="hint">{known.why}</p>}
      <Unanswered item={item} detail={detail} />
      <Checklist
        failed={failedSteps(item, explanation)}
        explanation={explanation}
        loading={awaitsExplanation(item, { followed, status: known?.status })}
      />
      {response !== undefined && annotated !== undefined && (
        <Bytes response={response} annotated={annotated} asked={asked} failed={failedSlug(item, explanation)} publicKey={publicKey} />
      )}
      {/* Below the bytes, and after them: neither must push the other. */}
      {explanation !== undefined && !decoding && <Findings explanation={explanation} />}
      {response === undefined && pasted !== undefined && pasted.document.tree !== null && <Contents tree={pasted.document.tree} />}
      <Legs item={item} detail={detail} />
    </article>
  );
}

/** What was pasted, where it is no response: options, a certificate, a key. */
function Contents({ tree }: { readonly tree: TreeDocument }): JSX.Element {
  const fields = useMemo(() => [fieldOfTree(tree)], [tree]);
  return (
    <section class="structure" aria-labelledby="contents-heading">
      <h3 id="contents-heading">What it holds</h3>
      <Tree fields={fields} label="What it holds" failed={NOTHING} />
    </section>
  );
}

const NOTHING: ReadonlySet<string> = new Set();
