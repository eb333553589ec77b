import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { safe, type Showable } from '../text/shownText.ts';
import type { Log } from './log.ts';
import { webviewDocument, webviewTexts, type WebviewPage } from './webviewPage.ts';

/** Opens a webview. */
export function createPanel(viewType: string, title: Showable, column = vscode.ViewColumn.Active): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(viewType, safe(title), column);
}

/** The host side of a page. */
export interface PageHost<ToWebview> {
  readonly send: (message: ToWebview) => void;
  /** Ends the receipt of messages. */
  readonly subscription: vscode.Disposable;
}

interface PageServices<ToHost> {
  readonly context: Pick<vscode.ExtensionContext, 'extensionUri'>;
  readonly log: Pick<Log, 'warn'>;
  /** Receives the messages of the page that match its schema. */
  readonly onMessage: (message: ToHost) => void;
}

/**
 * Shows a page in a webview, with its icon, in the language of the editor, and receives its messages. The page can load its script and its
 * style sheet, and nothing else.
 */
export function showPage<ToHost, ToWebview>(
  panel: vscode.WebviewPanel,
  page: WebviewPage<ToHost>,
  { context: { extensionUri }, log, onMessage }: PageServices<ToHost>,
): PageHost<ToWebview> {
  const { webview } = panel;
  const subscription = webview.onDidReceiveMessage((received: unknown) => {
    const { data: message } = page.messages.safeParse(received);
    if (message === undefined) log.warn(`The page ${page.name} sent an invalid message`);
    else onMessage(message);
  });
  const icon = (theme: string) =>
    vscode.Uri.joinPath(extensionUri, 'media', 'webviews', `${page.iconName}-${theme}.svg`);
  panel.iconPath = { light: icon('light'), dark: icon('dark') };
  const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webviews');
  const address = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
  webview.options = { enableScripts: true, enableForms: false, localResourceRoots: [folder] };
  const addresses = {
    script: address(`${page.name}.js`),
    style: address(`${page.name}.css`),
    source: webview.cspSource,
    nonce: randomUUID(),
  };
  const texts = webviewTexts(vscode.env.language, vscode.l10n.bundle, () => {
    // The build writes the texts of each page.
    const file = vscode.Uri.joinPath(folder, `${page.name}.texts.json`).fsPath;
    return JSON.parse(readFileSync(file, 'utf8')) as readonly string[];
  });
  webview.html = webviewDocument(page, addresses, texts);
  return { subscription, send: (message) => void webview.postMessage(message) };
}
