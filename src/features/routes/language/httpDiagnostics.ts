import * as vscode from 'vscode';
import { diagnostic } from '../../../vscode/marks.ts';
import type { HttpProblem, Severity } from '../model/problem.ts';
import type { HttpModels, HttpRead } from './httpModels.ts';
import { rangeIn } from './ranges.ts';

const SOURCE = 'Cloud Compute';
/** Maximum number of problems that the editor shows for a file. */
const MAX_SHOWN = 300;

const severities: Readonly<Record<Severity, vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** Shows the problems of open HTTP files. */
export class HttpDiagnostics implements vscode.Disposable {
  readonly #shown = vscode.languages.createDiagnosticCollection('cloudCompute.http');
  readonly #subscriptions: vscode.Disposable;

  constructor(models: HttpModels) {
    this.#subscriptions = vscode.Disposable.from(
      this.#shown,
      models.onDidRead((read) => this.#show(read)),
      models.onDidClose(({ uri }) => this.#shown.delete(uri)),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #show({ document, problems }: HttpRead): void {
    this.#shown.set(
      document.uri,
      problems.slice(0, MAX_SHOWN).map((problem) => diagnosticOf(document, problem)),
    );
  }
}

/** Returns the shown diagnostics of a problem. */
export function diagnosticsOf(
  document: vscode.TextDocument,
  problem: HttpProblem,
  shown: readonly vscode.Diagnostic[],
): vscode.Diagnostic[] {
  const place = rangeIn(document, problem);
  return shown.filter(({ source, code, range }) => source === SOURCE && code === problem.code && range.isEqual(place));
}

function diagnosticOf(document: vscode.TextDocument, problem: HttpProblem): vscode.Diagnostic {
  const found = diagnostic(rangeIn(document, problem), problem.message, severities[problem.severity]);
  found.source = SOURCE;
  found.code = problem.code;
  return found;
}
