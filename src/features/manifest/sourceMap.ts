import { isAlias, isCollection, isMap, isScalar, isSeq, type Document, type Node, type Pair } from 'yaml';
import type { Path } from '../../contract/violation.ts';

/** Offsets in a text, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Place extends Span {
  /** The part of the path that the document does not have. Empty if the document has the whole path. */
  readonly missing: Path;
}

interface Step {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

/**
 * Finds a path in a document. Returns the span of its value, or of its key if the value is empty, spans lines, or `preferKey` is set. For
 * a missing path, returns the key of its nearest parent, or the first line of the document.
 */
export function locate(document: Document, text: string, path: Path, preferKey = false): Place {
  let step: Step = { key: undefined, value: document.contents ?? undefined };
  for (const [index, segment] of path.entries()) {
    const next = child(document, step.value, segment);
    if (!next) return { ...spanOfParent(step, text), missing: path.slice(index) };
    step = next;
  }
  const span = preferKey ? spanOfParent(step, text) : spanOfValue(step, text);
  return { ...span, missing: [] };
}

function child(document: Document, parent: Node | undefined, segment: string | number): Step | undefined {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isMap(node)) {
    // YAML keys can be numbers or booleans. In JSON, and therefore in a path, they are strings.
    const pair = (node.items as Pair<Node, Node | null>[]).find(({ key }) => keyText(key) === String(segment));
    return pair && { key: pair.key, value: pair.value ?? undefined };
  }
  if (isSeq(node) && typeof segment === 'number') {
    const item = (node.items as Node[])[segment];
    return item && { key: undefined, value: item };
  }
  return undefined;
}

function keyText(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

function spanOfValue(step: Step, text: string): Span {
  const span = spanOf(step.value);
  if (!span || span.start === span.end) return spanOfParent(step, text);
  return isCollection(step.value) && text.slice(span.start, span.end).includes('\n') ? spanOfParent(step, text) : span;
}

function spanOfParent({ key, value }: Step, text: string): Span {
  return spanOf(key) ?? lineAt(text, spanOf(value)?.start ?? 0);
}

function spanOf(node: Node | undefined): Span | undefined {
  return node?.range ? { start: node.range[0], end: node.range[1] } : undefined;
}

/** Returns the rest of the line from an offset, without the line break. */
export function lineAt(text: string, start: number): Span {
  const length = text.slice(start).search(/\r?\n|$/);
  return { start, end: start + length };
}
