import { parseAllDocuments, type Document } from 'yaml';
import { formatPath } from '../../../../contract/violation.ts';
import { type EditSource, type ManifestEdit, editedValue, ImpossibleEdit, smallEdits } from './editedValue.ts';
import type { TextChange } from '../../../../text/span.ts';
import { withoutStackTraces } from '../../../../text/withoutStackTraces.ts';
import { nodeAt, stepsTo } from '../text/locate.ts';
import type { ManifestLanguage, ParsedFile } from '../text/parsed.ts';
import { type ManifestNode, valueOfTree } from '../text/node.ts';
import { parseManifestFile } from '../text/parse.ts';
import { jsonChanges } from './jsonChanges.ts';
import { applyChanges, ComposedChanges } from './textChanges.ts';
import { yamlChanges } from './yamlChanges.ts';
import { isDeepStrictEqual } from 'node:util';

/**
 * Returns the changes of the text for edits that apply in order: each path refers to the result of the earlier edits. Comments,
 * formatting, and the rest of the file stay. Returns undefined if an edit does not fit the value, would change other fields through an
 * anchor, or affects syntax that edits do not support.
 */
export function changesOf(source: EditSource, edits: readonly ManifestEdit[]): TextChange[] | undefined {
  try {
    return composed(source, edits);
  } catch (error) {
    if (error instanceof ImpossibleEdit) return undefined;
    throw error;
  }
}

function composed({ text, language, root }: EditSource, edits: readonly ManifestEdit[]): TextChange[] {
  const all = new ComposedChanges(text.length);
  let current = currentOf(fileOf(text, language), root?.start);
  /** Edits that replace different single values, which one pass over the text applies and verifies. */
  let pending: ManifestEdit[] = [];
  const joins = (edit: ManifestEdit) =>
    isInPlace(current.root, edit) && !pending.some(({ path }) => formatPath(path) === formatPath(edit.path));
  const flush = () => {
    if (pending.length === 0) return;
    const changes = pending.flatMap((edit) => changesOfOne(current, edit));
    all.add(changes);
    current = verified(current, pending, applyChanges(current.file.text, changes));
    pending = [];
  };
  for (const edit of edits) {
    if (!joins(edit)) flush();
    for (const small of smallEdits(current.root, edit)) {
      if (!joins(small)) flush();
      pending.push(small);
      if (!isInPlace(current.root, small)) flush();
    }
  }
  flush();
  return all.changes;
}

/** Returns whether an edit replaces a single value by another one. Such an edit does not affect the places of other edits. */
export function isInPlace(root: ManifestNode | undefined, edit: ManifestEdit): boolean {
  const node = edit.kind === 'set' ? nodeAt(root, edit.path) : undefined;
  const isSingle = edit.kind === 'set' && (typeof edit.value !== 'object' || edit.value === null);
  return isSingle && node?.kind === 'scalar' && !node.alias;
}

/** A version of the file, and the endpoint in it. */
interface Current {
  readonly file: ParsedFile;
  readonly index: number;
  readonly root: ManifestNode | undefined;
}

function currentOf(file: ParsedFile, start: number | undefined): Current {
  const index = file.parts.findIndex(({ root }) => root?.start === start);
  if (index < 0) throw new ImpossibleEdit('The text has no such endpoint');
  return { file, index, root: file.parts[index]?.root };
}

function changesOfOne({ file, root }: Current, edit: ManifestEdit): TextChange[] {
  if (stepsTo(root, edit.path).some(({ shared }) => shared)) throw new ImpossibleEdit('The value is at an anchor');
  if (file.language === 'json') return jsonChanges({ text: file.text, root }, edit);
  return yamlChanges(file.text, documentAt(file.text, root?.start), edit);
}

/** Parses the document at an offset, with its source tokens. */
export function documentAt(text: string, start: number | undefined): Document | undefined {
  return start === undefined ? undefined : documentsOf(text).find(({ contents }) => contents?.range[0] === start);
}

/* The corrections of a problem are computed one after the other, from the same text. */
const fileOf = ofLatestText((text, language: ManifestLanguage) => parseManifestFile(text, language));
const documentsOf = ofLatestText((text) => {
  const options = { keepSourceTokens: true, uniqueKeys: false, merge: true } as const;
  return withoutStackTraces(() => parseAllDocuments(text, { ...options, logLevel: 'error', prettyErrors: false }));
});

/** Returns a function that remembers its latest result. */
function ofLatestText<Rest extends readonly string[], Result>(
  compute: (text: string, ...rest: Rest) => Result,
): (text: string, ...rest: Rest) => Result {
  let latest: { readonly key: readonly string[]; readonly result: Result } | undefined;
  return (text, ...rest) => {
    const key = [text, ...rest];
    const known = latest;
    if (known && key.every((part, index) => part === known.key[index])) return known.result;
    latest = { key, result: compute(text, ...rest) };
    return latest.result;
  };
}

/** Returns the file after edits. Throws `ImpossibleEdit` unless exactly the edited values changed. */
function verified({ file, index, root }: Current, edits: readonly ManifestEdit[], text: string): Current {
  const next = parseManifestFile(text, file.language);
  const wanted = edits.reduce(editedValue, valueOfTree(root));
  const isRight =
    next.parts.length === file.parts.length &&
    next.parts.every((part, at) => {
      const before = file.parts[at];
      return isDeepStrictEqual(valueOfTree(part.root), at === index ? wanted : valueOfTree(before?.root));
    }) &&
    problemCount(next) <= problemCount(file);
  if (!isRight) throw new ImpossibleEdit('The edit would change other values');
  return { file: next, index, root: next.parts[index]?.root };
}

function problemCount({ parts }: ParsedFile): number {
  return parts.reduce((sum, { problems }) => sum + problems.length, 0);
}
