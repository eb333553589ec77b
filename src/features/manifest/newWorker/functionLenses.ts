import * as vscode from 'vscode';
import { fileSchemes } from '../../../kit/fileSchemes.ts';
import { MANIFEST_GLOB } from '../manifestFiles.ts';

const SELECTOR = fileSchemes
  .filter((scheme) => scheme !== 'untitled')
  .map((scheme) => ({ scheme, language: 'python' }));

/**
 * Offers to make a Python function an endpoint: above functions that look like handlers, unless a manifest runs their file, and as a code
 * action for others.
 */
export function registerFunctionLenses(): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const watcher = vscode.workspace.createFileSystemWatcher(MANIFEST_GLOB, false, true, false);
  return vscode.Disposable.from(
    changed,
    watcher,
    watcher.onDidCreate(() => changed.fire()),
    watcher.onDidDelete(() => changed.fire()),
    vscode.languages.registerCodeLensProvider(SELECTOR, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: async (document) => (await import('./functionMarks.ts')).provideCodeLenses(document),
    }),
    vscode.languages.registerCodeActionsProvider(
      SELECTOR,
      {
        provideCodeActions: async (document, range) =>
          (await import('./functionMarks.ts')).provideCodeActions(document, range),
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.Refactor] },
    ),
  );
}
