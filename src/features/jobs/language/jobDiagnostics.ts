import * as vscode from 'vscode';
import { editFix } from '../../../vscode/codeActions.ts';
import { diagnostic } from '../../../vscode/marks.ts';
import type { JobProblem } from '../model/checkJobFile.ts';
import { jobFileSelector } from '../jobFiles.ts';
import type { JobFileModels, JobFileRead } from './jobFileModels.ts';

const SOURCE = 'Cloud Compute';

const severities: Readonly<Record<JobProblem['severity'], vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
};

/** Shows the problems of open job files, and offers their corrections. */
export function registerJobDiagnostics(models: JobFileModels): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection('cloudCompute.jobs');
  return vscode.Disposable.from(
    collection,
    models.onDidRead(({ document, problems }) => {
      const found = problems.filter(({ code }) => code !== 'syntax' || !isJson(document));
      collection.set(
        document.uri,
        found.map((problem) => diagnosticOf(document, problem)),
      );
    }),
    models.onDidClose(({ uri }) => collection.delete(uri)),
    vscode.languages.registerCodeActionsProvider(
      jobFileSelector,
      {
        provideCodeActions: async (document, range, { diagnostics }) =>
          actionsFor(await models.read(document), range, diagnostics),
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
}

/** Returns whether the editor's own JSON service reports syntax errors. */
function isJson({ languageId }: vscode.TextDocument): boolean {
  return languageId === 'json' || languageId === 'jsonc';
}

function diagnosticOf(document: vscode.TextDocument, problem: JobProblem): vscode.Diagnostic {
  const found = diagnostic(rangeOf(document, problem), problem.message, severities[problem.severity]);
  found.source = SOURCE;
  found.code = problem.code;
  return found;
}

async function actionsFor(
  { document, checked, problems }: JobFileRead,
  range: vscode.Range,
  shown: readonly vscode.Diagnostic[],
): Promise<vscode.CodeAction[]> {
  const { fixesOf } = await import('../model/jobFileFixes.ts');
  return problems
    .filter((problem) => rangeOf(document, problem).intersection(range) !== undefined)
    .flatMap((problem) => {
      const place = rangeOf(document, problem);
      const diagnostics = shown.filter(({ code, range: at }) => code === problem.code && at.isEqual(place));
      return fixesOf(checked, problem).map(({ title, changes, isPreferred }) => {
        const edit = new vscode.WorkspaceEdit();
        for (const change of changes) edit.replace(document.uri, rangeOf(document, change), change.text);
        return editFix({ title, diagnostics, isPreferred }, edit);
      });
    });
}

export function rangeOf(
  document: vscode.TextDocument,
  { start, end }: { readonly start: number; readonly end: number },
): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}
