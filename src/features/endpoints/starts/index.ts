import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Lazy } from '../../../kit/lazy.ts';
import { formatted } from '../../../text/markdown.ts';
import { START_SCHEME } from './startScheme.ts';
import type { StartDocuments } from './startDocuments.ts';

/** Registers the documents with the starts of workers. Their code is loaded for the first one. */
export function registerStarts(
  services: Pick<AccountServices, 'clock' | 'connections' | 'endpoints' | 'liveValues'>,
): vscode.Disposable & { readonly documents: () => Promise<StartDocuments> } {
  let registered: vscode.Disposable | undefined;
  const documents = new Lazy(async () => {
    const loaded = new (await import('./startDocuments.ts')).StartDocuments(services, shell);
    registered = loaded.register();
    return loaded;
  });
  const shell = new DocumentShell(
    START_SCHEME,
    formatted`This document shows the start of a worker and is read-only.`,
    () => documents.get(),
  );
  const disposable = vscode.Disposable.from(shell.register(), new vscode.Disposable(() => void registered?.dispose()));
  return Object.assign(disposable, { documents: () => documents.get() });
}
