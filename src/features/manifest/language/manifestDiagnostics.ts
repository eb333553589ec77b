import type * as vscode from 'vscode';
import { showProblems } from '../../../kit/problems.ts';
import { isSyntaxCheckedElsewhere } from '../manifestFiles.ts';
import type { ManifestModels } from './manifestModels.ts';

/** Shows the problems of open manifests. */
export function registerManifestDiagnostics(models: ManifestModels): vscode.Disposable {
  return showProblems('cloudCompute.manifest', models, ({ document, file }) => {
    const hidden = isSyntaxCheckedElsewhere(document);
    return file.problems.filter(({ code }) => !(hidden && code === 'syntax'));
  });
}
