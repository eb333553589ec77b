import type { Path } from '../../../../contract/violation.ts';
import type { Span } from '../../../../text/span.ts';
import type { ManifestNode, Member, ParsedPart } from './node.ts';

export interface Place extends Span {
  /** The part of the path that the tree does not have. Empty if the tree has the whole path. */
  readonly missing: Path;
}

/** A step from the root of a tree to one of its nodes. */
export interface Step {
  /** The member whose value the node is. Undefined for the root and for items of lists. */
  readonly member: Member | undefined;
  readonly node: ManifestNode | undefined;
  /** Whether the node is written elsewhere, at an anchor. An edit there would change other fields too. */
  readonly shared: boolean;
}

/** Returns the steps along a path. The first step is the root. The list ends before the first segment that the tree does not have. */
export function stepsTo(root: ManifestNode | Step | undefined, path: Path): readonly Step[] {
  let step: Step | undefined = root && 'shared' in root ? root : { member: undefined, node: root, shared: false };
  const steps = [step];
  for (const segment of path) {
    step = child(step, segment);
    if (!step) break;
    steps.push(step);
  }
  return steps;
}

/** Returns the step to a path from a root or another step, or undefined if the tree does not have the path. */
export function stepAt(root: ManifestNode | Step | undefined, path: Path): Step | undefined {
  return stepsTo(root, path)[path.length];
}

/** Returns the step to each item of the list at a path. Takes linear time. */
export function itemsAt(root: ManifestNode | undefined, path: Path): readonly Step[] {
  const list = stepAt(root, path);
  if (list?.node?.kind !== 'list') return [];
  const shared = list.shared || list.node.alias === true;
  return list.node.items.map((node) => ({ member: undefined, node, shared }));
}

/** Returns the node at a path, or undefined if the tree does not have it. */
export function nodeAt(root: ManifestNode | undefined, path: Path): ManifestNode | undefined {
  const steps = stepsTo(root, path);
  return steps[path.length]?.node;
}

/**
 * Finds a path in a tree. Returns the span of its value, or of its key if the value is empty, spans lines, or `preferKey` is set. For a
 * missing path, returns the key of its nearest parent. A parent without a key, such as an item of a list, has its first line.
 */
export function locate(root: ManifestNode | undefined, text: string, path: Path, preferKey = false): Place {
  const steps = stepsTo(root, path);
  const missing = path.slice(steps.length - 1);
  const last = steps.at(-1);
  if (!last) return { ...lineAt(text, 0), missing };
  return { ...(preferKey || missing.length > 0 ? spanOfParent(last, text) : spanOfValue(last, text)), missing };
}

function child({ node, shared }: Step, segment: string | number): Step | undefined {
  const isShared = shared || node?.alias === true;
  if (node?.kind === 'map') {
    // YAML keys can be numbers or booleans. In JSON, and therefore in a path, they are strings.
    const isWanted = ({ key, merge }: Member) => !merge && key === String(segment);
    const own = node.members.find(isWanted);
    const member = own ?? node.merged.find(isWanted);
    return member && { member, node: member.value, shared: isShared || own === undefined };
  }
  const item = node?.kind === 'list' && typeof segment === 'number' ? node.items[segment] : undefined;
  return item && { member: undefined, node: item, shared: isShared };
}

function spanOfValue(step: Step, text: string): Span {
  const { node } = step;
  if (!node || node.start === node.end) return spanOfParent(step, text);
  const spansLines = node.kind !== 'scalar' && text.slice(node.start, node.end).includes('\n');
  return spansLines ? spanOfParent(step, text) : { start: node.start, end: node.end };
}

function spanOfParent({ member, node }: Step, text: string): Span {
  if (member || !node) return member?.keySpan ?? lineAt(text, 0);
  const line = lineAt(text, node.start);
  return node.end > node.start && node.end < line.end ? { start: node.start, end: node.end } : line;
}

/** Returns the rest of the line from an offset, without the line break. */
export function lineAt(text: string, start: number): Span {
  const length = text.slice(start).search(/\r?\n|$/);
  return { start, end: start + length };
}

/** Limits a span to the text. Parsers place the end of some unclosed nodes after the end of the text. */
export function spanIn({ length }: string, { start, end }: Span): Span {
  return { start: Math.min(start, length), end: Math.min(end, length) };
}

/** Returns the span of a node, without white space at its end. */
export function extentOf(node: ManifestNode, text: string): Span {
  return trimmed(node, text);
}

/** Returns the span of a member with its key. */
export function memberExtent(member: { readonly keySpan: Span; readonly value: ManifestNode }, text: string): Span {
  const { keySpan, value } = member;
  const isAfterKey = value.start >= keySpan.end;
  const end = Math.max(keySpan.end, isAfterKey ? extentOf(value, text).end : 0);
  return trimmed({ start: keySpan.start, end }, text);
}

/** Returns the span of the content of one endpoint. */
export function partExtent({ start, end, root }: ParsedPart, text: string): Span {
  const from = Math.min(start, root?.start ?? start);
  return trimmed({ start: from, end: Math.max(end, from) }, text);
}

/** Returns the span between the quotation marks of a quoted string, or the span of any other scalar. */
export function withoutQuotes({ start, end }: Span, text: string): Span {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return { start, end };
  const isClosed = end - start > 1 && text[end - 1] === quote;
  return { start: start + 1, end: isClosed ? end - 1 : end };
}

function trimmed({ start, end }: Span, text: string): Span {
  let last = Math.min(end, text.length);
  while (last > start && /\s/.test(text[last - 1] ?? '')) last--;
  return { start, end: Math.max(last, start) };
}
