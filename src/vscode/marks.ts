import * as vscode from 'vscode';
import { safe, type Showable } from './text/shownText.ts';

/* What is shown in the text of an editor. */

export interface LensOptions {
  readonly title: Showable;
  readonly tooltip: Showable;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** An action above a line. */
export function codeLens(line: number, { title, tooltip, command, arguments: args }: LensOptions): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
    title: safe(title),
    tooltip: safe(tooltip),
    command,
    ...(args && { arguments: [...args] }),
  });
}

/** A finding in a document. */
export function diagnostic(
  range: vscode.Range,
  message: Showable,
  severity: vscode.DiagnosticSeverity,
): vscode.Diagnostic {
  return new vscode.Diagnostic(range, safe(message), severity);
}

/** Shows two documents beside each other under a title. */
export async function showDifference(before: vscode.Uri, after: vscode.Uri, title: Showable): Promise<void> {
  await vscode.commands.executeCommand('vscode.diff', before, after, safe(title), { preview: true });
}
