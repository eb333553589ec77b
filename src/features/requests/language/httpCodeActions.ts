import * as vscode from 'vscode';
import { editFix } from '../../../kit/codeActions.ts';
import { httpSelector } from './httpFiles.ts';
import type { HttpModels } from './httpModels.ts';
import { diagnosticsOf, editOf, rangeOf } from '../../../kit/problems.ts';

const { QuickFix } = vscode.CodeActionKind;

/** Registers the corrections of problems in HTTP files. */
export function registerHttpCodeActions(models: HttpModels): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    httpSelector,
    {
      async provideCodeActions(document, range, { only, diagnostics }) {
        if (only && !only.contains(QuickFix)) return [];
        const [{ file, problems }, { fixesOf }] = await Promise.all([
          models.read(document),
          import('../model/fixesOf.ts'),
        ]);
        const here = problems.filter((problem) => rangeOf(document, problem).intersection(range) !== undefined);
        return here.flatMap((problem) => {
          const shown = diagnosticsOf(document, problem, diagnostics);
          return fixesOf(file, problem).map(({ title, changes, isPreferred }) =>
            editFix({ title, diagnostics: shown, isPreferred }, editOf(document, changes)),
          );
        });
      },
    },
    { providedCodeActionKinds: [QuickFix] },
  );
}
