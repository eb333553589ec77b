import * as vscode from 'vscode';
import { safe, type Showable } from './text/shownText.ts';

/** Opens a webview in the active editor column. */
export function createPanel(viewType: string, title: Showable): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(viewType, safe(title), vscode.ViewColumn.Active);
}
