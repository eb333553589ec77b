import * as vscode from 'vscode';
import { diagnostic } from '../../../vscode/marks.ts';
import { isSyntaxCheckedElsewhere } from '../manifestFiles.ts';
import type { ManifestProblem } from '../model/problem.ts';
import type { ManifestModels, ManifestRead } from './manifestModels.ts';

const SOURCE = 'Cloud Compute';

const severities: Record<ManifestProblem['severity'], vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** Shows the problems of open manifests. */
export class ManifestDiagnostics implements vscode.Disposable {
  readonly #shown = vscode.languages.createDiagnosticCollection('cloudCompute.manifest');
  readonly #subscriptions: vscode.Disposable;

  constructor(models: ManifestModels) {
    this.#subscriptions = vscode.Disposable.from(
      this.#shown,
      models.onDidRead((read) => this.#show(read)),
      models.onDidClose(({ uri }) => this.#shown.delete(uri)),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #show({ document, file }: ManifestRead): void {
    const hidden = isSyntaxCheckedElsewhere(document);
    const problems = file.problems.filter(({ code }) => !(hidden && code === 'syntax'));
    this.#shown.set(
      document.uri,
      problems.map((problem) => diagnosticOf(document, problem)),
    );
  }
}

/** Returns the range of a problem in its document. */
export function rangeOf(document: vscode.TextDocument, { start, end }: ManifestProblem): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}

/** Returns the shown diagnostics of a problem. */
export function diagnosticsOf(
  document: vscode.TextDocument,
  problem: ManifestProblem,
  shown: readonly vscode.Diagnostic[],
): vscode.Diagnostic[] {
  const place = rangeOf(document, problem);
  return shown.filter(({ source, code, range }) => source === SOURCE && code === problem.code && range.isEqual(place));
}

function diagnosticOf(document: vscode.TextDocument, problem: ManifestProblem): vscode.Diagnostic {
  const found = diagnostic(rangeOf(document, problem), problem.message, severities[problem.severity]);
  found.source = SOURCE;
  found.code = problem.code;
  if (problem.deprecated) found.tags = [vscode.DiagnosticTag.Deprecated];
  return found;
}
