import type { Path } from '../../../../contract/violation.ts';
import { fieldAt, kindsOf } from '../fields/fieldSchema.ts';
import type { OfferedValues } from '../../../../account/liveValues/liveValues.ts';
import { stepsTo } from '../text/locate.ts';
import type { Span } from '../../../../text/span.ts';
import type { ManifestNode, ParsedFile, ParsedPart } from '../text/node.ts';
import type { Completion, Request, Place } from './entries.ts';
import { DraftRules, draftOf } from '../draft.ts';
import { fieldCompletions, snippetCompletions } from './fieldCompletions.ts';
import { flowPlace } from './flowPlace.ts';
import { valueCompletions } from './valueCompletions.ts';
import { writingAt } from './sketch.ts';
import { yamlPlace } from './yamlPlace.ts';

export type { Completion };

/** Finds the cursor in a manifest. */
function placeAt({ text, language }: Pick<ParsedFile, 'text' | 'language'>, offset: number): Place | undefined {
  if (language === 'yaml') return yamlPlace(text, offset);
  return flowPlace({ text, style: 'json', start: 0, offset, path: [], parentColumn: -1 }).place;
}

/** Returns the completions at an offset. Never waits, never throws, and accepts every half-typed text. */
export function completionsAt(file: ParsedFile, offset: number, live: OfferedValues): readonly Completion[] {
  const { text } = file;
  const place = placeAt(file, offset);
  if (!place) return [];
  const { root } = partAt(file, offset) ?? {};
  return completionsIn({
    ...{ text, place, live },
    rules: new DraftRules(draftOf(root, text)),
    writing: writingAt(text, place),
    node: nodeOf(root, place.path),
    parent: nodeOf(root, place.path.slice(0, -1)),
  });
}

function completionsIn(request: Request): readonly Completion[] {
  const { place, rules } = request;
  const field = fieldAt(place.path, rules.draft);
  if (!field) return [];
  if (place.role === 'field') {
    const whole = isEmptyPart(request) ? snippetCompletions(request, field) : [];
    return [...whole, ...fieldCompletions(request, field.schema)];
  }
  const { position, style, continuedBy } = place;
  const holdsVariables = fieldAt(place.path.slice(0, -1), rules.draft)?.schema['x-variables'] === true;
  const kinds = kindsOf(field.schema);
  // Fields and items follow without braces where a block can begin.
  const isBlock = style === 'block' && position !== 'inline';
  if (isBlock && kinds.includes('map') && continuedBy !== 'item') {
    const asField: Place = { ...place, role: 'field' };
    return fieldCompletions({ ...request, place: asField }, field.schema);
  }
  if (isBlock && kinds.includes('list') && position === 'line' && continuedBy !== 'key') {
    const { column, path, lead } = place;
    const list = request.node?.kind === 'list' ? request.node : undefined;
    const asItem: Place = { ...place, position: 'item', path: [...path, 0], lead: `${lead}- `, column: column + 2 };
    return completionsIn({ ...request, place: { ...asItem, continuedBy: undefined }, node: undefined, parent: list });
  }
  return isBlock && continuedBy !== undefined ? [] : valueCompletions(request, field, holdsVariables);
}

/** Returns whether the cursor is in a document without fields. */
function isEmptyPart({ place, node }: Request): boolean {
  const { path, siblings, hasColon, style } = place;
  return style === 'block' && path.length === 0 && siblings.length === 0 && !hasColon && node?.kind !== 'map';
}

/** Returns the part that contains an offset. Offsets after the content of a document belong to that document. */
function partAt({ text, language, parts }: ParsedFile, offset: number): ParsedPart | undefined {
  if (language === 'json') return parts[0];
  const { start, end } = documentAt(text, offset);
  return parts.find(({ root }) => root && root.start >= start && root.start < end);
}

const DOCUMENT_MARKS = /^(?:---|\.\.\.)(?=\s|$)/gm;

function documentAt(text: string, offset: number): Span {
  let start = 0;
  for (const { index } of text.matchAll(DOCUMENT_MARKS)) {
    if (index > offset) return { start, end: index };
    start = index;
  }
  return { start, end: text.length };
}

function nodeOf(root: ManifestNode | undefined, path: Path): ManifestNode | undefined {
  return stepsTo(root, path)[path.length]?.node;
}
