import * as vscode from 'vscode';
import { safe, type Showable } from './text/shownText.ts';

/** Opens a diff editor with a title. */
export async function showDifference(before: vscode.Uri, after: vscode.Uri, title: Showable): Promise<void> {
  await vscode.commands.executeCommand('vscode.diff', before, after, safe(title), { preview: true });
}
