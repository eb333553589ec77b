import * as vscode from 'vscode';
import type { CommandId } from './commandIds.ts';
import { safe, type Showable } from '../text/shownText.ts';

/* Quick fixes. */

export interface FixOptions {
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
