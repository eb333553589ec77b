import * as vscode from 'vscode';
import { safe } from './text/shownText.ts';

/**
 * What a provider throws becomes a notification of the editor, links and all. The methods of this copy of a provider throw errors whose
 * messages are safe to show.
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

/** The editor tells its own errors apart by their class: such an error stays the same object. */
function withSafeMessage(error: unknown): Error {
  const message = safe(error instanceof Error ? error.message : String(error));
  if (error instanceof vscode.CancellationError) return error;
  if (error instanceof vscode.FileSystemError) {
    error.message = message;
    return error;
  }
  return new Error(message, { cause: error });
}
