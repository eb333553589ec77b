import * as vscode from 'vscode';

/** Opens a new unsaved HTTP file with this text. */
export async function openRequestFile(text: string, stem: string): Promise<vscode.TextEditor> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.path));
  const safe = stem.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, 60) || 'new';
  for (let number = 1; ; number++) {
    const name = `${number === 1 ? safe : `${safe}-${number}`}.http`;
    const uri = folder ? vscode.Uri.joinPath(folder, name) : vscode.Uri.from({ scheme: 'untitled', path: name });
    if (open.has(uri.path) || (await exists(uri))) continue;
    const document = await vscode.workspace.openTextDocument(uri.with({ scheme: 'untitled' }));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
    return editor;
  }
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme === 'untitled') return false;
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
