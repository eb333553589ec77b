import * as vscode from 'vscode';
import { diagnostic } from './marks.ts';
import type { Showable } from '../text/shownText.ts';
import type { Span, TextChange } from '../text/span.ts';

/* Problems of documents. The editor shows them as diagnostics. */

export interface Problem extends Span {
  readonly code: string;
  readonly message: Showable;
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  /** Whether the place uses something that is deprecated. */
  readonly deprecated?: boolean | undefined;
}

const SOURCE = 'Cloud Compute';
/** Maximum number of problems that the editor shows for a document. */
const MAX_SHOWN = 300;

const severities: Readonly<Record<Problem['severity'], vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** Reads of documents, and their ends. */
interface Reads<Read> {
  readonly onDidRead: vscode.Event<Read>;
  readonly onDidClose: vscode.Event<vscode.TextDocument>;
}

/**
 * Shows the problems of open documents.
 *
 * @param problemsOf returns the problems to show
 */
export function showProblems<Read extends { readonly document: vscode.TextDocument }>(
  name: string,
  reads: Reads<Read>,
  problemsOf: (read: Read) => readonly Problem[],
): vscode.Disposable {
  const shown = vscode.languages.createDiagnosticCollection(name);
  return vscode.Disposable.from(
    shown,
    reads.onDidRead((read) => {
      const problems = problemsOf(read).slice(0, MAX_SHOWN);
      shown.set(
        read.document.uri,
        problems.map((problem) => diagnosticAt(rangeOf(read.document, problem), problem)),
      );
    }),
    reads.onDidClose(({ uri }) => shown.delete(uri)),
  );
}

/** Returns the range of a span in its document. */
export function rangeOf(document: vscode.TextDocument, { start, end }: Span): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}

/** Returns the edit that makes the changes in a document. */
export function editOf(document: vscode.TextDocument, changes: readonly TextChange[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const change of changes) edit.replace(document.uri, rangeOf(document, change), change.text);
  return edit;
}

/** Returns the shown diagnostics of a problem. */
export function diagnosticsOf(
  document: vscode.TextDocument,
  problem: Problem,
  shown: readonly vscode.Diagnostic[],
): vscode.Diagnostic[] {
  const place = rangeOf(document, problem);
  return shown.filter(({ source, code, range }) => source === SOURCE && code === problem.code && range.isEqual(place));
}

/** Creates the diagnostic of a problem at a place. */
export function diagnosticAt(range: vscode.Range, problem: Omit<Problem, keyof Span>): vscode.Diagnostic {
  const found = diagnostic(range, problem.message, severities[problem.severity]);
  found.source = SOURCE;
  found.code = problem.code;
  if (problem.deprecated) found.tags = [vscode.DiagnosticTag.Deprecated];
  return found;
}
