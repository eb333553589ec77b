import * as vscode from 'vscode';
import { editFix } from '../../../kit/codeActions.ts';
import { diagnosticsOf, editOf, rangeOf, showProblems } from '../../../kit/problems.ts';
import { jobFileSelector } from '../jobFiles.ts';
import type { JobFileModels, JobFileRead } from './jobFileModels.ts';

/** Shows the problems of open job files, and offers their corrections. */
export function registerJobDiagnostics(models: JobFileModels): vscode.Disposable {
  return vscode.Disposable.from(
    showProblems('cloudCompute.jobs', models, ({ document, problems }) =>
      problems.filter(({ code }) => code !== 'syntax' || !isJson(document)),
    ),
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

async function actionsFor(
  { document, checked, problems }: JobFileRead,
  range: vscode.Range,
  shown: readonly vscode.Diagnostic[],
): Promise<vscode.CodeAction[]> {
  const { fixesOf } = await import('../model/jobFileFixes.ts');
  return problems
    .filter((problem) => rangeOf(document, problem).intersection(range) !== undefined)
    .flatMap((problem) => {
      const diagnostics = diagnosticsOf(document, problem, shown);
      return fixesOf(checked, problem).map(({ title, changes, isPreferred }) =>
        editFix({ title, diagnostics, isPreferred }, editOf(document, changes)),
      );
    });
}
