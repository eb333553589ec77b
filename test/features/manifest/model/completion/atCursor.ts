import assert from 'node:assert/strict';
import { completionsAt, type Completion } from '../../../../../src/features/manifest/model/completion/completionsAt.ts';
import type { OfferedValues } from '../../../../../src/account/liveValues/liveValues.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';
import type { ManifestLanguage } from '../../../../../src/features/manifest/model/text/node.ts';

/** A text with a cursor, which `|` marks. */
export interface Marked {
  readonly text: string;
  readonly offset: number;
  readonly language: ManifestLanguage;
}

/** Removes the mark of the cursor. A text that starts with a brace is JSON. */
export function marked(source: string, language?: ManifestLanguage): Marked {
  const offset = source.indexOf('|');
  assert.ok(offset >= 0, 'the text has a cursor');
  const text = source.slice(0, offset) + source.slice(offset + 1);
  return { text, offset, language: language ?? (text.trimStart().startsWith('{') ? 'json' : 'yaml') };
}

export function completions({ text, offset, language }: Marked, live: OfferedValues = {}): readonly Completion[] {
  const found = completionsAt(parseManifestFile(text, language), offset, live);
  for (const { start, end } of found) {
    assert.ok(start <= offset && offset <= end, 'the replaced text contains the cursor');
    assert.doesNotMatch(text.slice(start, end), /\n/, 'the replaced text is on one line');
  }
  return found.toSorted((one, other) => (one.sortText < other.sortText ? -1 : 1));
}

/** Returns the labels at the cursor, in the order of the list. */
export function labels(source: string, live?: OfferedValues): string[] {
  return completions(marked(source), live).map(({ label }) => label);
}

/** Returns the completion with a label. */
export function completion(source: string, label: string, live?: OfferedValues): Completion {
  const all = completions(marked(source), live);
  const found = all.find((one) => one.label === label);
  assert.ok(found, `${label} is offered: ${all.map((one) => one.label).join(', ')}`);
  return found;
}

/** Returns the text after a completion is accepted. */
export function accepted(source: string, label: string, live?: OfferedValues): string {
  return withCompletion(marked(source).text, completion(source, label, live));
}

export function withCompletion(text: string, { start, end, insertText, also }: Completion): string {
  const changed = text.slice(0, start) + expanded(insertText) + text.slice(end);
  return also ? changed.slice(0, also.start) + also.text + changed.slice(also.end) : changed;
}

/** Replaces the placeholders of a snippet by their texts. */
function expanded(snippet: string): string {
  return snippet
    .replaceAll(/(?<!\\)\$\d+/g, '')
    .replaceAll(/(?<!\\)\$\{\d+:([^}]*)\}/g, '$1')
    .replaceAll(/(?<!\\)\$\{\d+\|([^,|]*)[^}]*\|\}/g, '$1')
    .replaceAll(/\\([\\$}])/g, '$1');
}
