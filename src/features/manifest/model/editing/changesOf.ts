import { parseAllDocuments, type Document } from 'yaml';
import type { EditSource, ManifestEdit, TextChange } from '../edit.ts';
import { stepsTo } from '../locate.ts';
import type { ManifestNode } from '../node.ts';
import { parseManifestFile } from '../parse.ts';
import type { ParsedFile } from '../parsed.ts';
import { editedValue, ImpossibleEdit } from './editedValue.ts';
import { effectiveValue, sameValue } from './effectiveValue.ts';
import { jsonChanges } from './jsonChanges.ts';
import { smallEdits } from './smallEdits.ts';
import { applyChanges, ComposedChanges } from './textChanges.ts';
import { yamlChanges } from './yamlChanges.ts';

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
  let current = currentOf(parseManifestFile(text, language), root?.start);
  for (const edit of edits)
    for (const small of smallEdits(current.root, edit)) {
      const changes = changesOfOne(current, small);
      all.add(changes);
      current = verified(current, small, applyChanges(current.file.text, changes));
    }
  return all.changes;
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
  const options = {
    keepSourceTokens: true,
    uniqueKeys: false,
    merge: true,
    logLevel: 'error',
    prettyErrors: false,
  } as const;
  const documents = parseAllDocuments(text, options) as Document[];
  return start === undefined ? undefined : documents.find(({ contents }) => contents?.range?.[0] === start);
}

/** Returns the file after an edit. Throws `ImpossibleEdit` unless exactly the edited value changed. */
function verified({ file, index, root }: Current, edit: ManifestEdit, text: string): Current {
  const next = parseManifestFile(text, file.language);
  const wanted = editedValue(effectiveValue(root), edit);
  const isRight =
    next.parts.length === file.parts.length &&
    next.parts.every((part, at) => {
      const before = file.parts[at];
      return sameValue(effectiveValue(part.root), at === index ? wanted : effectiveValue(before?.root));
    }) &&
    problemCount(next) <= problemCount(file);
  if (!isRight) throw new ImpossibleEdit('The edit would change other values');
  return { file: next, index, root: next.parts[index]?.root };
}

function problemCount({ parts }: ParsedFile): number {
  return parts.reduce((sum, { problems }) => sum + problems.length, 0);
}
