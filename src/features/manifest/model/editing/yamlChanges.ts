import type { Document } from 'yaml';
import type { Path } from '../../../../contract/violation.ts';
import { type ManifestEdit, ImpossibleEdit, nested, type Fields } from './editedValue.ts';
import type { TextChange, Span } from '../../../../text/span.ts';
import { appended, deletion, insertion, removed, type FlowShape } from './flowCollection.ts';
import { columnOf, eolOf, joined, lineEnd, lineStart, nextLine, trimmedEnd } from './lines.ts';
import { layoutOf, type CollectionLayout, type ItemLayout, type Layout, styleOf } from './yamlLayout.ts';
import {
  blockText,
  flowText,
  itemText,
  keyText,
  listLines,
  mapLines,
  quoted,
  type BlockText,
  type YamlStyle,
} from './yamlText.ts';

interface Editing {
  readonly text: string;
  readonly root: Layout;
  readonly style: YamlStyle;
}

/** A value and its place in the parent. Undefined members belong to the root. */
interface Place {
  readonly layout: Layout | undefined;
  readonly item?: ItemLayout;
  readonly parent?: Place;
}

/**
 * Returns the changes of one edit in a YAML document.
 *
 * @param document the document, parsed with its source tokens
 * @throws ImpossibleEdit
 */
export function yamlChanges(text: string, document: Document | undefined, edit: ManifestEdit): TextChange[] {
  const { root, style } = laidOut(text, document);
  if (!root) return edit.kind === 'set' ? atEnd(text, nested(edit.path, edit.value), style) : impossible();
  const editing = { text, root, style };
  const { place, missing } = placeAt(root, edit.path);
  if (edit.kind === 'set')
    return missing.length > 0 ? addition(editing, place, missing, edit.value) : replacement(editing, place, edit.value);
  if (missing.length > 0) return impossible();
  if (edit.kind === 'remove') return removal(editing, place);
  const { span, quote } = place.item?.key ?? impossible();
  const name = quote ? quoted(edit.name, { singleQuote: quote === "'" }) : keyText(edit.name, style);
  return [{ ...span, text: name }];
}

/** Returns the changes that remove one of several members with the same name. */
export function withoutYamlMember(text: string, document: Document | undefined, member: Span): TextChange[] {
  const { root, style } = laidOut(text, document);
  const place = root && placeOfKey({ layout: root }, member.start);
  return root && place ? removal({ text, root, style }, place) : impossible();
}

interface LaidOut {
  readonly root: Layout | undefined;
  readonly style: YamlStyle;
}

const known = new WeakMap<Document, LaidOut>();

/** Returns the layout and the style of a document. Several edits of one text share them. */
function laidOut(text: string, document: Document | undefined): LaidOut {
  const earlier = document && known.get(document);
  if (earlier) return earlier;
  const root = document && layoutOf(document.contents);
  const result = { root, style: styleOf(text, root) };
  if (document) known.set(document, result);
  return result;
}

function placeOfKey(place: Place, start: number): Place | undefined {
  const { layout } = place;
  if (!layout || layout.kind === 'scalar') return undefined;
  for (const item of layout.items) {
    const child = { layout: item.value, item, parent: place };
    const found = item.key?.span.start === start ? child : placeOfKey(child, start);
    if (found) return found;
  }
  return undefined;
}

function placeAt(root: Layout, path: Path): { place: Place; missing: Path } {
  let place: Place = { layout: root };
  for (const [index, segment] of path.entries()) {
    const { layout } = place;
    const items = layout && layout.kind !== 'scalar' ? layout.items : [];
    const item =
      layout?.kind === 'list' ? items[Number(segment)] : items.find(({ key }) => key?.name === String(segment));
    if (!item) return { place, missing: path.slice(index) };
    place = { layout: item.value, item, parent: place };
  }
  return { place, missing: [] };
}

function addition(editing: Editing, place: Place, missing: Path, value: unknown): TextChange[] {
  const { layout } = place;
  const [segment = '', ...rest] = missing;
  if (!layout || (layout.kind === 'scalar' && layout.isNull))
    return replacement(editing, place, nested(missing, value));
  if (layout.kind === 'scalar' || (layout.kind === 'list' && typeof segment !== 'number')) return impossible();
  const { text, style } = editing;
  const inner = nested(rest, value);
  const own = layout.kind === 'map' ? String(segment) : segment;
  const isBare = layout.items.length === 0 && text.slice(layout.start + 1, layout.end - 1).trim() === '';
  if (isBare) return replacement(editing, place, nested([own], inner));
  const name = keyText(String(segment), style);
  if (layout.flow) {
    const item = (layout.kind === 'map' ? `${name}: ` : '') + flowText(inner, style);
    return appended(text, shapeOf(layout), item);
  }
  const lines = layout.kind === 'map' ? mapLines({ [segment]: inner }, style) : itemLines(layout, inner, style);
  return [linesBelow(editing, layout, lines)];
}

/** Returns the lines of a new item. It has the flow style if the item before it does. */
function itemLines({ items }: CollectionLayout, value: unknown, style: YamlStyle): string[] {
  const last = items.at(-1)?.value;
  const isFlow = last !== undefined && last.kind !== 'scalar' && last.flow;
  return isFlow ? [`- ${flowText(value, style)}`] : listLines([value], style);
}

function linesBelow({ text, style: { eol } }: Editing, { start, end }: CollectionLayout, lines: string[]): TextChange {
  const block = joined(lines, ' '.repeat(columnOf(text, start)), eol);
  // A block scalar that keeps its last line breaks ends at the start of a line.
  return text[end - 1] === '\n' ? insertion(end, block + eol) : insertion(lineEnd(text, end), eol + block);
}

function replacement(editing: Editing, place: Place, value: unknown): TextChange[] {
  const { layout, item } = place;
  const { style } = editing;
  if (!item) return replacedRoot(editing, value);
  if (isInFlow(place)) {
    const written = scalarLike(layout, value, style) ?? flowText(value, style);
    if (layout && !item.tagged) return [{ start: layout.start, end: layout.end, text: written }];
    if (item.indicatorEnd === undefined && item.key) return [insertion(item.end, `: ${written}`)];
    return [{ start: item.indicatorEnd ?? item.start, end: item.end, text: ` ${written}` }];
  }
  const isFilledFlow = layout?.kind !== undefined && layout.kind !== 'scalar' && layout.flow && layout.items.length > 0;
  const asHead = scalarLike(layout, value, style) ?? (isFilledFlow ? flowText(value, style) : undefined);
  const { head, rest } =
    asHead !== undefined ? { head: asHead, rest: [] } : item.key ? blockText(value, style) : itemText(value, style);
  return written(editing, { ...place, item }, { head, rest });
}

/** Replaces the value after a key or dash. A comment on the line of the key stays there. */
function written(
  { text, style: { eol } }: Editing,
  { layout, item }: Place & { readonly item: ItemLayout },
  { head, rest }: BlockText,
): TextChange[] {
  const indicatorEnd = item.indicatorEnd ?? impossible();
  const isBlock = layout !== undefined && layout.kind !== 'scalar' && !layout.flow;
  const keepsPlace = layout !== undefined && !isBlock && !item.tagged && head !== '';
  const start = keepsPlace ? layout.start : indicatorEnd;
  const end = layout ? trimmedEnd(text, layout) : indicatorEnd;
  const own = layout?.kind === 'scalar' ? layout.comment : undefined;
  const comments = [keepsPlace || !layout ? undefined : item.comment, own].filter((one) => one !== undefined);
  const onLine = `${keepsPlace || head === '' ? '' : ' '}${[head, ...comments].join(' ')}`;
  const changes: TextChange[] = [{ start, end, text: onLine }];
  if (rest.length === 0) return changes;
  const below = eol + joined(rest, ' '.repeat(columnOf(text, item.start)), eol);
  const at = lineEnd(text, end);
  return at === end ? [{ start, end, text: onLine + below }] : [...changes, insertion(at, below)];
}

/** Returns a string in the quotation marks of the current one. */
function scalarLike(layout: Layout | undefined, value: unknown, style: YamlStyle): string | undefined {
  const quote = layout?.kind === 'scalar' ? layout.quote : undefined;
  if (!quote || typeof value !== 'string' || value.includes('\n')) return undefined;
  return quoted(value, { ...style, singleQuote: quote === "'" });
}

function replacedRoot({ text, root, style }: Editing, value: unknown): TextChange[] {
  const isFlow = root.kind !== 'scalar' && root.flow && root.items.length > 0;
  const content = isFlow ? flowText(value, style) : rootText(value, style);
  return [{ start: root.start, end: trimmedEnd(text, root), text: content }];
}

function rootText(value: unknown, style: YamlStyle): string {
  const isFilled = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isFilled) return flowText(value, style);
  return (Array.isArray(value) ? listLines(value, style) : mapLines(value as Fields, style)).join(style.eol);
}

function atEnd(text: string, value: unknown, style: YamlStyle): TextChange[] {
  const eol = eolOf(text);
  const before = text.length === 0 || text.endsWith('\n') || text === '\uFEFF' ? '' : eol;
  return [insertion(text.length, before + rootText(value, style) + eol)];
}

function removal(editing: Editing, { item, parent }: Place): TextChange[] {
  const { text } = editing;
  const layout = parent?.layout;
  if (!parent || !item || !layout || layout.kind === 'scalar') return impossible();
  const index = layout.items.indexOf(item);
  if (layout.flow) return removed(text, shapeOf(layout), index);
  const next = layout.items[index + 1];
  if (!next && index === 0) return replacement(editing, parent, layout.kind === 'map' ? {} : []);
  const start = lineStart(text, item.start);
  const isOwnLine = text.slice(start, item.start).trim() === '';
  if (!isOwnLine && next) {
    // The first member of a map after a dash. The next one takes its place, unless a comment is in between.
    const isClear = text.slice(item.end, next.start).trim() === '';
    return [deletion(item.start, isClear ? next.start : item.end)];
  }
  const end = text[item.end - 1] === '\n' ? item.end : nextLine(text, item.end);
  const isLastLine = end === text.length && !text.endsWith('\n');
  return [deletion(isLastLine ? text.slice(0, start).replace(/\r?\n$/, '').length : start, end)];
}

/** Returns whether a value is inside a collection in flow style. */
function isInFlow({ parent }: Place): boolean {
  const layout = parent?.layout;
  return (
    layout !== undefined && layout.kind !== 'scalar' && (layout.flow || (parent !== undefined && isInFlow(parent)))
  );
}

function shapeOf({ start, end, items }: CollectionLayout): FlowShape {
  return { open: start + 1, close: end - 1, items };
}

function impossible(): never {
  throw new ImpossibleEdit('The text has no place for this edit');
}
