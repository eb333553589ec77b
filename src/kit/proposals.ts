import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Markdown } from '../text/markdown.ts';
import { safe, safeIfAny, type Showable } from '../text/shownText.ts';
import { markdownString } from './tooltips.ts';

/* Completions and hovers, which describe the text at the cursor. */

export interface CompletionOptions {
  readonly label: Showable;
  readonly kind: vscode.CompletionItemKind;
  /** Text that the completion replaces. */
  readonly range: vscode.Range;
  /** New text, with placeholders. It contains its own indentation. */
  readonly snippet: string;
  readonly detail?: Showable | undefined;
  readonly documentation?: Markdown | undefined;
  readonly filterText: string;
  readonly sortText: string;
  readonly isDeprecated: boolean;
  readonly isPreselected: boolean;
  /** Whether the editor asks for completions again afterwards. */
  readonly retrigger: boolean;
  readonly additionalEdits?: readonly vscode.TextEdit[];
}

export function completionItem(options: CompletionOptions): vscode.CompletionItem {
  const { label, kind, range, snippet, detail, documentation, filterText, sortText } = options;
  const item = new vscode.CompletionItem(safe(label), kind);
  item.range = range;
  item.insertText = new vscode.SnippetString(snippet);
  item.keepWhitespace = true;
  item.filterText = filterText;
  item.sortText = sortText;
  item.preselect = options.isPreselected;
  const detailText = safeIfAny(detail);
  if (detailText !== undefined) item.detail = detailText;
  if (documentation) item.documentation = markdownString(documentation);
  if (options.isDeprecated) item.tags = [vscode.CompletionItemTag.Deprecated];
  if (options.additionalEdits) item.additionalTextEdits = [...options.additionalEdits];
  if (options.retrigger) item.command = { command: 'editor.action.triggerSuggest', title: l10n.t('Suggest') };
  return item;
}

/** Creates a hover over a range. */
export function hover(markdown: Markdown, range: vscode.Range): vscode.Hover {
  return new vscode.Hover(markdownString(markdown), range);
}

/* Edits for dropped and pasted content. Their titles are shown in a list. */

/** Creates an edit for a drop. The text is inserted as it is. */
export function dropEdit(
  title: Showable,
  kind: vscode.DocumentDropOrPasteEditKind,
  insertText: string,
): vscode.DocumentDropEdit {
  return new vscode.DocumentDropEdit(insertText, safe(title), kind);
}

/** Creates an edit for a paste. The text replaces the selection as it is. */
export function pasteEdit(
  title: Showable,
  kind: vscode.DocumentDropOrPasteEditKind,
  insertText: string,
): vscode.DocumentPasteEdit {
  return new vscode.DocumentPasteEdit(insertText, safe(title), kind);
}
