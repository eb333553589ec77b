import * as vscode from 'vscode';
import { safe, type Showable } from './text/shownText.ts';

/* CodeLenses, diagnostics, and their corrections, which belong to places in a document. */

export interface LensOptions {
  readonly title: Showable;
  readonly tooltip: Showable;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** Creates a CodeLens above a line. */
export function codeLens(line: number, { title, tooltip, command, arguments: args }: LensOptions): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
    title: safe(title),
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

/** Creates an action in the list of corrections. */
export function codeAction(title: Showable, kind: vscode.CodeActionKind): vscode.CodeAction {
  return new vscode.CodeAction(safe(title), kind);
}
