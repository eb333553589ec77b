import { extentOf, memberExtent, partExtent, withoutQuotes } from '../text/locate.ts';
import type { Span } from '../../../../text/span.ts';
import type { ManifestNode, ParsedFile } from '../text/node.ts';

/** Returns the spans to select around an offset, from the value to the whole file. Each span is larger than the one before it. */
export function selectionSpans({ text, parts }: ParsedFile, offset: number): Span[] {
  const spans: Span[] = [{ start: 0, end: text.length }];
  /** Adds a smaller span. Returns whether the offset is in it. */
  const narrow = (span: Span): boolean => {
    const outer = spans.at(-1) ?? span;
    if (offset < span.start || offset > span.end || span.start < outer.start || span.end > outer.end) return false;
    if (span.end - span.start < outer.end - outer.start) spans.push(span);
    return true;
  };
  const enter = (node: ManifestNode): boolean => {
    if (!narrow(extentOf(node, text))) return false;
    if (node.alias) return true;
    if (node.kind === 'list') node.items.some(enter);
    else if (node.kind === 'scalar') {
      if (node.style === 'quoted') narrow(withoutQuotes(node, text));
    } else
      node.members.some((member) => {
        if (!narrow(memberExtent(member, text))) return false;
        if (!narrow(member.keySpan)) return enter(member.value) || true;
        narrow(withoutQuotes(member.keySpan, text));
        return true;
      });
    return true;
  };
  parts.some((part) => narrow(partExtent(part, text)) && part.root && enter(part.root));
  return spans.reverse();
}
