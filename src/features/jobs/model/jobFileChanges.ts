import { applyEdits, modify, type Edit } from 'jsonc-parser';
import type { Path } from '../../../contract/violation.ts';
import type { JobFormPath } from '../../../webviews/jobForm/messages.ts';
import type { TextChange } from '../../../text/span.ts';

/* Changes of a job file. All other members and the comments stay as they are. */

/** Returns the changes that set a value of the input. @param path path in the input, as for `changesAt` */
export function changesForValue(text: string, path: JobFormPath, value: unknown): readonly TextChange[] {
  return changesAt(text, ['input', ...path], value);
}

/**
 * Returns the changes that set the value at a path.
 *
 * @param text a job file without syntax errors
 * @param path an index of -1 appends to a list
 * @param value undefined to remove the value
 */
export function changesAt(text: string, path: Path, value: unknown): readonly TextChange[] {
  const formattingOptions = { ...indentationOf(text), eol: text.includes('\r\n') ? '\r\n' : '\n' };
  // The last line is part of the last member.
  const edits = modify(text, [...path], value, { formattingOptions });
  return edits.map(({ offset, length, content }) => ({ start: offset, end: offset + length, text: content }));
}

/** Returns a text with changes that do not overlap. */
export function withChanges(text: string, changes: readonly TextChange[]): string {
  const edits = changes.map(({ start, end, text: content }): Edit => ({ offset: start, length: end - start, content }));
  return applyEdits(text, edits);
}

function indentationOf(text: string): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const [, indentation = '  '] = /\n([ \t]+)\S/.exec(text.slice(0, 10_000)) ?? [];
  return indentation.startsWith('\t')
    ? { insertSpaces: false, tabSize: 1 }
    : { insertSpaces: true, tabSize: indentation.length };
}
