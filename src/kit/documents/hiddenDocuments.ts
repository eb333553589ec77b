import * as vscode from 'vscode';

/**
 * Calls a function with the address of each document of a scheme that is no longer shown: after its last tab was closed, and after the
 * editor closed it. The editor keeps some documents open for minutes without a tab. Documents with unsaved changes are not reported.
 */
export function onDidHideDocument(scheme: string, listener: (uri: vscode.Uri) => void): vscode.Disposable {
  const report = (closed: readonly vscode.Uri[]): void => {
    const hidden = closed.filter((uri) => uri.scheme === scheme);
    if (hidden.length === 0) return;
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const unsaved = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri);
    const kept = new Set([...tabs.flatMap(urisOf), ...unsaved].map(String));
    for (const uri of hidden) if (!kept.has(uri.toString())) listener(uri);
  };
  return vscode.Disposable.from(
    // The editor also closes a document whose language changes, and opens it again in the same tab.
    vscode.workspace.onDidCloseTextDocument(({ uri }) => report([uri])),
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => report(closed.flatMap(urisOf))),
  );
}

/** Returns the addresses of the documents in a tab. */
function urisOf({ input }: vscode.Tab): vscode.Uri[] {
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) return [input.uri];
  if (input instanceof vscode.TabInputTextDiff) return [input.original, input.modified];
  return [];
}
