import * as vscode from 'vscode';
import { safe, type Showable } from './text/shownText.ts';

/** A webview in the place of an editor. */
export function createPanel(viewType: string, title: Showable): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(viewType, safe(title), vscode.ViewColumn.Active);
}
