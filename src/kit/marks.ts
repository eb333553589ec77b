import * as vscode from 'vscode';
import { safe, safeIfAny, type Showable } from '../text/shownText.ts';
import type { CommandId } from './commandIds.ts';

/* Texts at places in a document, such as CodeLenses, diagnostics, and their corrections. */

export interface LensOptions {
  readonly title: Showable;
  readonly tooltip: Showable;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** Creates a CodeLens above a line. */
export function codeLens(line: number, { title, tooltip, command, arguments: args }: LensOptions): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
    // The editor drops a normal space after an icon.
    title: safe(title).replaceAll(/(\$\([\w~-]+\)) /g, '$1\u00a0'),
    tooltip: safe(tooltip),
    command,
    ...(args && { arguments: [...args] }),
  });
}

/** Creates a diagnostic, which the editor underlines in the document. */
export function diagnostic(
  range: vscode.Range,
  message: Showable,
  severity: vscode.DiagnosticSeverity,
): vscode.Diagnostic {
  return new vscode.Diagnostic(range, safe(message), severity);
}

/** Creates an inlay hint after a position. */
export function inlayHint(position: vscode.Position, label: Showable, tooltip?: Showable): vscode.InlayHint {
  const hint = new vscode.InlayHint(position, safe(label));
  hint.paddingLeft = true;
  const safeTooltip = safeIfAny(tooltip);
  if (safeTooltip !== undefined) hint.tooltip = safeTooltip;
  return hint;
}

/** Creates a link. The editor adds the key combination to the tooltip. */
export function documentLink(range: vscode.Range, target: vscode.Uri, tooltip: Showable): vscode.DocumentLink {
  const link = new vscode.DocumentLink(range, target);
  link.tooltip = safe(tooltip);
  return link;
}

/** Creates the mark of text with a color. @param color ID of a theme color */
export function textColor(color: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    color: new vscode.ThemeColor(color),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

export interface SymbolOptions {
  readonly name: Showable;
  readonly detail: Showable;
  readonly kind: vscode.SymbolKind;
  readonly range: vscode.Range;
  /** Must be in `range`. */
  readonly selectionRange: vscode.Range;
  readonly deprecated: boolean;
  readonly children: vscode.DocumentSymbol[];
}

/** Creates an entry of the outline. */
export function documentSymbol(options: SymbolOptions): vscode.DocumentSymbol {
  const { name, detail, kind, range, selectionRange, deprecated, children } = options;
  // The editor rejects an empty name.
  const symbol = new vscode.DocumentSymbol(safe(name) || '…', safe(detail), kind, range, selectionRange);
  if (deprecated) symbol.tags = [vscode.SymbolTag.Deprecated];
  symbol.children = children;
  return symbol;
}

/** Creates an action in the list of corrections. */
export function codeAction(title: Showable, kind: vscode.CodeActionKind): vscode.CodeAction {
  return new vscode.CodeAction(safe(title), kind);
}

/* Quick fixes. */

interface FixOptions {
  readonly title: Showable;
  /** The diagnostics that the fix resolves. */
  readonly diagnostics: readonly vscode.Diagnostic[];
  readonly isPreferred?: boolean;
}

/** Creates a quick fix that runs a command. */
export function commandFix(options: FixOptions, command: CommandId, ...args: readonly unknown[]): vscode.CodeAction {
  const fix = quickFix(options);
  fix.command = { title: fix.title, command, arguments: [...args] };
  return fix;
}

/** Creates a quick fix that edits files. */
export function editFix(options: FixOptions, edit: vscode.WorkspaceEdit): vscode.CodeAction {
  const fix = quickFix(options);
  fix.edit = edit;
  return fix;
}

function quickFix({ title, diagnostics, isPreferred = false }: FixOptions): vscode.CodeAction {
  const fix = new vscode.CodeAction(safe(title), vscode.CodeActionKind.QuickFix);
  fix.diagnostics = [...diagnostics];
  fix.isPreferred = isPreferred;
  return fix;
}
