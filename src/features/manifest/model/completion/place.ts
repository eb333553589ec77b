import type { Path } from '../../../../contract/violation.ts';
import type { Span } from '../../../../text/span.ts';
import { columnOf } from '../editing/lines.ts';
import { draftOf, type Draft } from '../draft.ts';
import { LONGEST_MANIFEST } from '../text/bounds.ts';
import { scopeOf } from '../patched/environmentsOf.ts';
import type { ListNode, ManifestNode, MapNode, Member } from '../text/node.ts';
import type { ParsedFile } from '../text/parsed.ts';
import { parseDocuments } from '../text/parseYaml.ts';
import { yamlTree } from '../text/yamlTree.ts';

/*
 * Finds the cursor by parsing the text with a mark there. The mark is written as a field, an item, or a value. A form fits if it adds no
 * syntax error. The parser of YAML recovers from errors elsewhere, and also reads JSON without comments.
 */

/** A form in which a completion fits at the cursor. */
export interface Place {
  /** `field`: the completion is the name of a field. `value`: it is a value. */
  readonly role: 'field' | 'value';
  /** Path of the map for a field, and of the value for a value. Inside the patch of an environment, it starts there. */
  readonly path: Path;
  /** Path of the patch that contains the cursor. Empty outside patches. */
  readonly prefix: Path;
  /** The text that a completion replaces. It is empty if no text is written yet. */
  readonly token: Span;
  /** Opening quotation mark of the token. */
  readonly quote: '"' | "'" | undefined;
  /** `json`: JSON. `flow`: inside braces or brackets of YAML. `block`: YAML with indentation. */
  readonly style: 'json' | 'flow' | 'block';
  /** Whether the value follows a colon on its line of a block. */
  readonly afterColon: boolean;
  /** Whether a colon follows the token, so that a completion of a field replaces only its name. */
  readonly hasColon: boolean;
  /** Column of the completion in a block, or of its field for a value after a colon. */
  readonly column: number;
  /** Text that a completion needs before the token, such as a dash, or a space after the colon. */
  readonly lead: string;
  /** Comma that a completion needs after the token, or an empty string. */
  readonly trail: string;
  /** Offset of a missing comma before the token. */
  readonly missingComma?: number | undefined;
  /** Other members of the map that contains the cursor. */
  readonly members: readonly Member[];
  /** Other items of the list that contains the cursor. */
  readonly items: readonly ManifestNode[];
  /** The valid parts of the document. Inside the patch of an environment, those of the manifest there. */
  readonly draft: Draft;
}

/** A private character, which can be a part of any scalar. */
const MARK = '\uE000';
const DOCUMENT_MARKS = /^(?:---|\.\.\.)(?=\s|$)/gm;
/** The rest of a token. Plain scalars can have several words. */
const REST = {
  block: /^(?:[^\s:#]|:(?!\s|$)|(?<=\S)#)*(?:[ \t]+(?:[^\s:#]|:(?!\s|$)|(?<=\S)#)+)*/,
  flow: /^(?:[^\s:#,[\]{}"]|:(?![\s,[\]{}]|$)|(?<=\S)#)*(?:[ \t]+(?:[^\s:#,[\]{}"]|:(?![\s,[\]{}]|$)|(?<=\S)#)+)*/,
  '"': /^(?:[^"\\\r\n]|\\.)*"?/,
  "'": /^(?:[^'\r\n]|'')*'?/,
};

/** After them, the parser ends an unclosed quotation at the next line with less indentation. */
const QUOTATION_MARKS = `\n#'"`;
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"?|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** Returns the places of the cursor, the likeliest one first. There are none in a comment or a block scalar. */
export function* placesAt({ text, language }: Pick<ParsedFile, 'text' | 'language'>, offset: number): Generator<Place> {
  if (text.length > LONGEST_MANIFEST) return;
  const isJson = language === 'json';
  const { start, end } = isJson ? { start: 0, end: text.length } : documentAt(text, offset);
  const before = text.slice(start, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const source = isJson ? repairedJson(text, lineStart) : text.slice(start, end);
  const isInComment = isJson && repairedJson(before + MARK, lineStart) !== source.slice(0, before.length) + MARK;
  const isAtMark = !isJson && new RegExp(DOCUMENT_MARKS, 'm').test(source.slice(lineStart, lineStart + 4));
  if (isInComment || isAtMark) return;
  const cursor = { source, at: before.length, lineStart, isJson };
  yield* shifted(placesOf(cursor), start);
  // The value above the line may lack its comma.
  const comma = source.slice(0, lineStart).trimEnd().length;
  if (/^\s*\S+\s+\S/.test(before.slice(lineStart)) || /^$|[,:{[]$/.test(source.slice(0, comma))) return;
  const withComma = `${source.slice(0, comma)},${source.slice(comma)}`;
  for (const place of shifted(placesOf({ ...cursor, source: withComma, at: cursor.at + 1 }), start - 1))
    if (place.style !== 'block') yield { ...place, missingComma: start + comma };
}

function documentAt(text: string, offset: number): Span {
  let start = 0;
  for (const { index } of text.matchAll(DOCUMENT_MARKS)) {
    if (index > offset) return { start, end: index };
    start = index;
  }
  return { start, end: text.length };
}

/**
 * Replaces the comments of JSON by blanks, and closes the strings above the cursor. Other text keeps its place, which `stripComments` of
 * jsonc-parser does not ensure.
 */
function repairedJson(text: string, lineStart: number): string {
  return text.replaceAll(STRING_OR_COMMENT, (one, at: number) => {
    if (!one.startsWith('"')) return one.replaceAll(/[^\r\n]/g, ' ');
    return one.endsWith('"') || at >= lineStart ? one : `${one.slice(0, -1)}"`;
  });
}

function* shifted(places: Iterable<Place>, by: number): Generator<Place> {
  for (const place of places) yield { ...place, token: { start: place.token.start + by, end: place.token.end + by } };
}

interface Cursor {
  /** Text of the document. */
  readonly source: string;
  readonly at: number;
  readonly lineStart: number;
  readonly isJson: boolean;
}

function* placesOf(cursor: Cursor): Generator<Place> {
  const { source, at, lineStart, isJson } = cursor;
  const { lead, head, found } = headOf(cursor);
  if (!found) return;
  const indent = head.slice(lineStart, found.start);
  const isInBraces = found.parent?.flow === true;
  const style = isJson ? 'json' : isInBraces ? 'flow' : 'block';
  if (found.start < lineStart) {
    const start = columnOf(head, found.start);
    const above = source.slice(found.start, lineStart);
    // YAML joins a line without a colon and the line below it to one key.
    if (style === 'block' && start === /^ */.exec(source.slice(lineStart))?.[0].length && !/^["']/.test(above))
      yield* placesOf({ ...cursor, source: source.replace(above, above.replaceAll(/\S/g, ' ')) });
    return;
  }
  if (isJson && found.parent && !isInBraces) return;

  const isInline = !/^[ \uFEFF]*(?:-[ \t]+)*$/.test(indent);
  const quote = ([`"`, `'`] as const).find((mark) => mark === head[found.start]);
  const typed = head.slice(found.start, at);
  const token = {
    start: at - typed.length,
    end: at + lengthOfRest(source.slice(at), typed, quote ?? (style === 'block' ? 'block' : 'flow')),
  };
  const after = source.slice(token.end);
  const hasColon = (style === 'block' ? /^[ \t]*:(?=\s|$)/ : /^\s*:/).test(after);
  if ((typed === '-' && !isInline) || (!quote && (hasColon || style !== 'block') && /\s$/.test(typed))) return;

  // The parser reads most of the fields of a broken text without the half-typed token.
  const end = style === 'block' ? QUOTATION_MARKS : '';
  const intact = parsed(source + end);
  const before = intact.errors === 0 ? intact : parsed(source.slice(0, token.start) + after + end);
  const draft = draftOf(before.root);
  const forms = style === 'block' ? blockForms(indent, isInline) : flowForms(found.isKey);
  for (const { role, dash = '', trail = '' } of forms) {
    const isNew = role === 'field' && !hasColon;
    const text = `${source.slice(0, token.start)}${lead}${dash}"${MARK}"${isNew ? ': ' : ''}${trail}${after}${end}`;
    const { root, errors } = parsed(text);
    const mark = markIn(root);
    if (errors > before.errors || mark?.name !== MARK || mark.isKey !== (role === 'field')) continue;
    const { path, parent, member } = mark;
    // The following lines would become the value of a new field.
    if (isNew && member && !isEmpty(member)) continue;
    // With a comma, the value of the field would become a field.
    const next = parent?.kind === 'map' && member ? parent.members[parent.members.indexOf(member) + 1] : undefined;
    if (trail !== '' && next && isEmpty(next)) continue;
    // In brackets, a field would become a map without braces.
    if (role === 'field' && style !== 'block' && text[parent?.start ?? 0] !== '{') continue;
    const scope = scopeOf(before.root, path);
    // The patch itself is a field of the file.
    const isInPatch = scope.prefix.length > 0 && (role === 'field' || scope.path.length > 0);
    const { path: inner, prefix } = isInPatch ? scope : { path, prefix: [] };
    yield {
      ...{ role, path: inner, prefix, token, quote, style, hasColon, lead: lead + dash, trail },
      draft: isInPatch ? draftOf(scope.root) : draft,
      afterColon: isInline && style === 'block',
      column: columnOf(head, isInline && found.member ? found.member.start : found.start) + dash.length,
      members: parent?.kind === 'map' ? [...parent.merged, ...parent.members].filter((one) => one !== member) : [],
      items: parent?.kind === 'list' ? parent.items.filter((item) => item !== mark.node) : [],
    };
  }
}

/** Parses the text before the cursor, with the mark. Adds a blank after a colon or dash if the mark becomes its value. */
function headOf({ source, at }: Cursor): { lead: string; head: string; found: Mark | undefined } {
  const before = source.slice(0, at);
  const headWith = (lead: string) => {
    // The blank keeps the mark inside a quotation without an end.
    const head = `${before}${lead}${MARK} ${QUOTATION_MARKS}`;
    const { root, errors } = parsed(head);
    return { lead, head, errors, found: markIn(root) };
  };
  const tight = headWith('');
  if (!/[:-]$/.test(before)) return tight;
  const spaced = headWith(' ');
  const { found, errors } = spaced;
  return found?.start === at + 1 && (found.parent?.flow === true || errors <= tight.errors) ? spaced : tight;
}

/** Returns the length of the rest of a token. It is 0 if another token begins at the cursor. */
function lengthOfRest(rest: string, typed: string, style: keyof typeof REST): number {
  if (typed === '' && /^(?:-?\s|-$|["'[{&*!|>])/.test(rest)) return 0;
  return REST[style].exec(rest)?.[0].length ?? 0;
}

interface Form extends Pick<Place, 'role'> {
  /** Dash of a new item. */
  readonly dash?: '- ';
  readonly trail?: ',';
}

function blockForms(indent: string, isInline: boolean): readonly Form[] {
  if (isInline) return [{ role: 'value' }];
  const items = [
    { role: 'field', dash: '- ' },
    { role: 'value', dash: '- ' },
  ] as const;
  return [{ role: 'field' }, ...(indent.includes('-') ? [] : items), { role: 'value' }];
}

function flowForms(isKey: boolean): readonly Form[] {
  const role = isKey ? 'field' : 'value';
  return [{ role }, { role, trail: ',' }];
}

function isEmpty({ value: { start, end } }: Member): boolean {
  return start === end;
}

function parsed(text: string): { readonly root: ManifestNode | undefined; readonly errors: number } {
  const documents = parseDocuments(text);
  const trees = documents.map((document) => yamlTree(document, text));
  const errors = [...documents.map((one) => one.errors), ...trees.map(({ problems }) => problems)].flat().length;
  return { root: trees.at(-1)?.root, errors };
}

/** The name of a field, or a value, that contains the mark. */
interface Mark extends Span {
  readonly name: string;
  readonly isKey: boolean;
  /** Path of the map for a field, and of the value for a value. */
  readonly path: Path;
  readonly node: ManifestNode;
  readonly parent: MapNode | ListNode | undefined;
  /** The field itself, or the field of the value. */
  readonly member: Member | undefined;
}

function markIn(
  node: ManifestNode | undefined,
  path: Path = [],
  around?: Pick<Mark, 'parent' | 'member'>,
): Mark | undefined {
  if (!node || node.alias) return undefined;
  switch (node.kind) {
    case 'scalar': {
      const { value, style, start, end } = node;
      if (typeof value !== 'string' || style === 'block' || !value.includes(MARK)) return undefined;
      return { name: value, isKey: false, path, node, start, end, parent: around?.parent, member: around?.member };
    }
    case 'list':
      return first(node.items, (item, index) => markIn(item, [...path, index], { parent: node, member: undefined }));
    case 'map':
      return first(node.members, (member) => {
        const { key, keySpan, value } = member;
        if (key.includes(MARK)) return { name: key, isKey: true, path, node: value, ...keySpan, parent: node, member };
        return markIn(value, [...path, key], { parent: node, member });
      });
  }
}

function first<Item, Result>(
  items: readonly Item[],
  find: (item: Item, index: number) => Result | undefined,
): Result | undefined {
  for (const [index, item] of items.entries()) {
    const result = find(item, index);
    if (result !== undefined) return result;
  }
  return undefined;
}
