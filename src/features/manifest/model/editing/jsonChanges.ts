import { createScanner } from 'jsonc-parser';
import type { Path } from '../../../../contract/violation.ts';
import { type ManifestEdit, ImpossibleEdit, nested } from './editedValue.ts';
import type { TextChange, Span } from '../../../../text/span.ts';
import { stepsTo } from '../text/locate.ts';
import type { ListNode, ManifestNode, MapNode } from '../text/node.ts';
import { appended, hasOwnLines, removed, type FlowShape } from './flowCollection.ts';
import { eolOf, indentOf, lineStart } from './lines.ts';

/** The text and the tree of a JSON file. */
interface JsonSource {
  readonly text: string;
  readonly root: ManifestNode | undefined;
}

/**
 * Returns the changes of one edit in JSON. Unlike `modify` of jsonc-parser, they keep the comments beside the edited member.
 *
 * @throws ImpossibleEdit
 */
export function jsonChanges(source: JsonSource, edit: ManifestEdit): TextChange[] {
  const { text, root } = source;
  if (!root) return edit.kind === 'set' ? atEnd(text, nested(edit.path, edit.value)) : impossible();
  const steps = stepsTo(root, edit.path);
  const last = steps.at(-1);
  if (!last?.node) return impossible();
  const missing = edit.path.slice(steps.length - 1);
  if (edit.kind === 'set')
    return missing.length > 0
      ? addition(text, last.node, missing, edit.value)
      : [replacement(text, last.node, edit.value)];
  if (missing.length > 0) return impossible();
  if (edit.kind === 'rename') {
    const { keySpan: { start, end } = impossible() } = last.member ?? {};
    return [{ start, end, text: JSON.stringify(edit.name) }];
  }
  const parent = steps.at(-2)?.node;
  if (parent?.kind !== 'map' && parent?.kind !== 'list') return impossible();
  return removed(text, shapeOf(text, parent), indexIn(parent, last.node));
}

/** Returns the change that removes one of several members with the same name. */
export function withoutJsonMember(text: string, map: MapNode, member: Span): TextChange[] {
  const index = map.members.findIndex(({ start }) => start === member.start);
  return removed(text, shapeOf(text, map), index);
}

function indexIn(parent: MapNode | ListNode, child: ManifestNode): number {
  return parent.kind === 'map' ? parent.members.findIndex(({ value }) => value === child) : parent.items.indexOf(child);
}

function addition(text: string, parent: ManifestNode, [segment = '', ...rest]: Path, value: unknown): TextChange[] {
  const inner = nested(rest, value);
  if (parent.kind === 'scalar') {
    if (parent.value !== null) return impossible();
    return [replacement(text, parent, nested([segment], inner))];
  }
  if (parent.kind === 'list' && typeof segment !== 'number') return impossible();
  const shape = shapeOf(text, parent);
  const isEmpty = shape.items.length === 0;
  if (isEmpty && text.slice(shape.open, shape.close).trim() === '')
    return [replacement(text, parent, nested([parent.kind === 'map' ? String(segment) : segment], inner))];
  const isInline = !hasOwnLines(text, shape);
  const key = parent.kind === 'map' ? `${JSON.stringify(String(segment))}: ` : '';
  const indent = indentOf(text, shape.items.at(-1)?.start ?? parent.start);
  return appended(text, shape, key + render(text, inner, { indent, isInline }));
}

function replacement(text: string, node: ManifestNode, value: unknown): TextChange {
  const written = text.slice(node.start, node.end);
  const isOwnLine = text.slice(lineStart(text, node.start), node.start).trim() === '';
  const isFilled = node.kind !== 'scalar' && /[^\s[\]{}]/.test(written);
  const wasInline = isFilled && !written.includes('\n');
  const indent = indentOf(text, node.start);
  // A value on the line of its parent's bracket stays on that line.
  const isInline = wasInline || (!isOwnLine && isInsideInline(text, node));
  return { start: node.start, end: node.end, text: render(text, value, { indent, isInline }) };
}

/** Returns whether an opening bracket precedes the node on its line. */
function isInsideInline(text: string, { start }: Span): boolean {
  const before = text.slice(lineStart(text, start), start).replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return /[{[]/.test(before);
}

interface Rendering {
  readonly indent: string;
  readonly isInline: boolean;
}

function render(text: string, value: unknown, { indent, isInline }: Rendering): string {
  const lines = JSON.stringify(value, null, isInline ? 1 : unitOf(text)).split('\n');
  return isInline ? lines.map((line) => line.trimStart()).join(' ') : lines.join(eolOf(text) + indent);
}

/** Returns the indentation of the first indented member. */
function unitOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
}

function atEnd(text: string, value: unknown): TextChange[] {
  const eol = eolOf(text);
  const before = text.length === 0 || text.endsWith('\n') || text === '\uFEFF' ? '' : eol;
  const content = render(text, value, { indent: '', isInline: false });
  return [{ start: text.length, end: text.length, text: before + content + eol }];
}

function shapeOf(text: string, { kind, start, end, ...node }: MapNode | ListNode): FlowShape {
  const open = start + 1;
  const close = end - 1;
  if (text[close] !== (kind === 'map' ? '}' : ']')) return impossible();
  const spans: readonly Span[] = 'members' in node ? node.members : (node as ListNode).items;
  const items = spans.map((item) => ({ start: item.start, end: item.end, comma: commaAfter(text, item.end) }));
  return { open, close, items };
}

function commaAfter(text: string, at: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(at);
  scanner.scan();
  const offset = scanner.getTokenOffset();
  return text[offset] === ',' ? offset : undefined;
}

function impossible(): never {
  throw new ImpossibleEdit('The text has no place for this edit');
}
