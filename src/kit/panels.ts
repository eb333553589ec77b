import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { safe, type Showable } from '../text/shownText.ts';
import { webviewDocument, webviewTexts, type WebviewPage } from './webviewPage.ts';

/** Opens a webview in the active editor column. */
export function createPanel(viewType: string, title: Showable): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(viewType, safe(title), vscode.ViewColumn.Active);
}

/** Shows a page in a webview, with its icon, in the language of the editor. The page can load its script and its style sheet, and nothing else. */
export function loadPage(panel: vscode.WebviewPanel, extensionUri: vscode.Uri, page: WebviewPage): void {
  const icon = (theme: string) =>
    vscode.Uri.joinPath(extensionUri, 'media', 'webviews', `${page.iconName}-${theme}.svg`);
  panel.iconPath = { light: icon('light'), dark: icon('dark') };
  const { webview } = panel;
  const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webviews');
  const address = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
  webview.options = { enableScripts: true, enableForms: false, localResourceRoots: [folder] };
  const addresses = {
    script: address(`${page.name}.js`),
    style: address(`${page.name}.css`),
    source: webview.cspSource,
    nonce: randomUUID(),
  };
  webview.html = webviewDocument(page, addresses, webviewTexts(vscode.env.language, vscode.l10n.bundle));
}
