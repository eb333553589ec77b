import { withoutQuotes } from '../text/extent.ts';
import { imagePage } from './imagePage.ts';
import { stepsTo } from '../text/locate.ts';
import type { Span } from '../../../../text/span.ts';
import type { ManifestNode } from '../text/node.ts';
import type { ParsedFile } from '../text/parsed.ts';

export type ManifestLink = Span &
  (
    | { readonly kind: 'image'; readonly page: string }
    /** A directory, relative to the manifest. It may not exist. */
    | { readonly kind: 'directory'; readonly directory: string }
  );

/** Returns the links of a manifest: from images to their pages, and from `x-local.directory` to the folder. */
export function manifestLinks({ text, parts }: ParsedFile): ManifestLink[] {
  return parts.flatMap(({ root }) => {
    const image = textAt(root, text, ['image']);
    const page = image && imagePage(image.value);
    const local = textAt(root, text, ['x-local', 'directory']);
    return [
      ...(!image || page === undefined ? [] : [{ kind: 'image' as const, ...image.span, page }]),
      ...(local ? [{ kind: 'directory' as const, ...local.span, directory: local.value }] : []),
    ];
  });
}

/** Returns the string at a path, unless it is empty, spans lines, or is written at an anchor. */
function textAt(root: ManifestNode | undefined, text: string, path: readonly string[]) {
  const step = stepsTo(root, path)[path.length];
  const node = step?.node;
  if (!node || step.shared || node.alias || node.kind !== 'scalar' || node.style === 'block') return undefined;
  const span = withoutQuotes(node, text);
  const isOnOneLine = !/[\r\n]/.test(text.slice(span.start, span.end));
  return typeof node.value === 'string' && span.end > span.start && isOnOneLine
    ? { value: node.value, span: { start: span.start, end: span.end } }
    : undefined;
}
