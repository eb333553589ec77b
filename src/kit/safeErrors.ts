import * as vscode from 'vscode';
import { safe, type Showable } from '../text/shownText.ts';

/**
 * Wraps a provider so that its methods throw only errors whose messages are safe to show. The editor turns a provider's error into a
 * notification and renders links in it.
 */
export function withSafeErrors<Provider extends object>(provider: Provider): Provider {
  return new Proxy(provider, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        try {
          const result: unknown = Reflect.apply(member, target, args);
          return result instanceof Promise ? result.catch(rethrow) : result;
        } catch (error) {
          return rethrow(error);
        }
      };
    },
  });
}

function rethrow(error: unknown): never {
  throw withSafeMessage(error);
}

/** Returns the editor's own errors as the same objects, because the editor recognizes them by class. */
function withSafeMessage(error: unknown): Error {
  const message = safe(error instanceof Error ? error.message : String(error));
  if (error instanceof vscode.CancellationError) return error;
  if (error instanceof vscode.FileSystemError) {
    error.message = message;
    return error;
  }
  return new Error(message, { cause: error });
}

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

/** Registers a file system whose names have upper and lower case. The editor shows its errors. */
export function registerFileSystem(scheme: string, provider: vscode.FileSystemProvider): vscode.Disposable {
  return vscode.workspace.registerFileSystemProvider(scheme, withSafeErrors(provider), { isCaseSensitive: true });
}
