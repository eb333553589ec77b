import * as vscode from 'vscode';
import { withSafeErrors } from './safeErrors.ts';
import { safe, type Showable } from './text/shownText.ts';

/** Registers accounts of the editor's Accounts menu. What signing in throws ends up in a notification. */
export function registerAccounts(
  id: string,
  label: Showable,
  provider: vscode.AuthenticationProvider,
): vscode.Disposable {
  return vscode.authentication.registerAuthenticationProvider(id, safe(label), withSafeErrors(provider), {
    supportsMultipleAccounts: true,
  });
}

/** A signed-in account under a label that menus show. */
export function accountSession(id: string, label: Showable, accessToken: string): vscode.AuthenticationSession {
  return { id, accessToken, account: { id, label: safe(label) }, scopes: [] };
}
