import * as vscode from 'vscode';
import { withSafeErrors } from './safeErrors.ts';
import { safe, type Showable } from '../text/shownText.ts';

/** Registers a provider for the editor's Accounts menu. Its errors are made safe to show, because the editor shows them. */
export function registerAccounts(
  id: string,
  label: Showable,
  provider: vscode.AuthenticationProvider,
): vscode.Disposable {
  return vscode.authentication.registerAuthenticationProvider(id, safe(label), withSafeErrors(provider), {
    supportsMultipleAccounts: true,
  });
}

/** Creates a session for a signed-in account. Menus show its label. */
export function accountSession(id: string, label: Showable, accessToken: string): vscode.AuthenticationSession {
  return { id, accessToken, account: { id, label: safe(label) }, scopes: [] };
}
