import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { codeAction } from '../../../kit/marks.ts';
import { manifestSelector } from '../manifestFiles.ts';
import type { TextChange } from '../../../text/span.ts';
import type { ManifestFix } from '../model/fixes/fix.ts';
import type { CheckOptions, ManifestFile } from '../model/manifestFile.ts';
import type { ManifestProblem } from '../model/problem.ts';
import { diagnosticsOf, rangeOf } from '../../../kit/problems.ts';
import type { ManifestModels } from './manifestModels.ts';

const { QuickFix, SourceFixAll } = vscode.CodeActionKind;
/** Kind of the action that corrects all problems, such as when a file is saved. */
const FIX_ALL = SourceFixAll.append('cloudCompute');
const FIX_ALL_TITLE = l10n.t('Fix All Problems');

type Models = Pick<ManifestModels, 'read'>;

/** Registers the corrections of problems in manifests. */
export function registerManifestCodeActions(
  models: Models,
  options: (document: vscode.TextDocument) => CheckOptions,
): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(manifestSelector, new ManifestCodeActions(models, options), {
    providedCodeActionKinds: [QuickFix, FIX_ALL],
  });
}

/** Provides the corrections of the problems at the cursor, and the one of all problems. */
export class ManifestCodeActions implements vscode.CodeActionProvider {
  readonly #models: Models;
  readonly #options: (document: vscode.TextDocument) => CheckOptions;
  /** Documents of the actions whose edit is computed when the user selects them. */
  readonly #unresolved = new WeakMap<vscode.CodeAction, vscode.TextDocument>();

  constructor(models: Models, options: (document: vscode.TextDocument) => CheckOptions) {
    this.#models = models;
    this.#options = options;
  }

  async provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    { only, diagnostics }: vscode.CodeActionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeAction[]> {
    const wantsAll = only?.contains(FIX_ALL) === true;
    const wantsQuick = only === undefined || only.contains(QuickFix);
    if (!wantsAll && !wantsQuick) return [];
    const { fixesOf } = await import('../model/fixes/fixesOf.ts');
    const file = await this.#models.read(document);
    if (token.isCancellationRequested) return [];
    const here = wantsQuick ? file.problems.filter((problem) => touches(document, problem, range)) : [];
    const quick = here.flatMap((problem) => {
      const shown = diagnosticsOf(document, problem, diagnostics);
      return fixesOf(file, problem).map((fix) => quickFix(document, fix, shown));
    });
    const all = wantsAll ? [this.#fixAll(document, FIX_ALL)] : [];
    const several = quick.length > 0 && (await hasSeveralFixes(file)) ? [this.#fixAll(document, QuickFix)] : [];
    return [...quick, ...several, ...all];
  }

  /** Adds the edit for the current version of the document. */
  async resolveCodeAction(action: vscode.CodeAction): Promise<vscode.CodeAction> {
    const document = this.#unresolved.get(action);
    if (!document) return action;
    const { fixAll } = await import('../model/fixes/fixAll.ts');
    const file = await this.#models.read(document);
    action.edit = editOf(document, fixAll(file, this.#options(document)));
    return action;
  }

  #fixAll(document: vscode.TextDocument, kind: vscode.CodeActionKind): vscode.CodeAction {
    const action = codeAction(FIX_ALL_TITLE, kind);
    this.#unresolved.set(action, document);
    return action;
  }
}

function quickFix(
  document: vscode.TextDocument,
  { title, changes, isPreferred }: ManifestFix,
  diagnostics: vscode.Diagnostic[],
): vscode.CodeAction {
  const action = codeAction(title, QuickFix);
  action.edit = editOf(document, changes);
  action.diagnostics = diagnostics;
  action.isPreferred = isPreferred;
  return action;
}

async function hasSeveralFixes(file: ManifestFile): Promise<boolean> {
  const { isFixable } = await import('../model/fixes/fixesOf.ts');
  const { isFixedByAll } = await import('../model/fixes/fixAll.ts');
  return file.problems.filter((problem) => isFixedByAll(problem) && isFixable(file, problem)).length > 1;
}

function touches(document: vscode.TextDocument, problem: ManifestProblem, range: vscode.Range): boolean {
  return rangeOf(document, problem).intersection(range) !== undefined;
}

function editOf(document: vscode.TextDocument, changes: readonly TextChange[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  const place = (offset: number) => document.positionAt(offset);
  for (const { start, end, text } of changes)
    edit.replace(document.uri, new vscode.Range(place(start), place(end)), text);
  return edit;
}
