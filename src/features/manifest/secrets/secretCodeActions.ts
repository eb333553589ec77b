import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commandFix, editFix } from '../../../kit/codeActions.ts';
import { shown } from '../../../text/shownText.ts';
import { rangeOf } from '../../../kit/problems.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import type { replaceByReference } from '../model/environment/envEdit.ts';
import type { ManifestFile } from '../model/manifestFile.ts';
import type { ManifestProblem } from '../model/problem.ts';
import type { AddRequest } from './addSecret.ts';

const ADD = 'cloudCompute.secrets.add';

/** Provides quick fixes for secrets that do not exist and for literals that look like keys. */
export class SecretCodeActions implements vscode.CodeActionProvider {
  readonly #models: ManifestModels;

  constructor(models: ManifestModels) {
    this.#models = models;
  }

  async provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): Promise<vscode.CodeAction[]> {
    const { version } = document;
    const file = await this.#models.read(document);
    // The places belong to this version. The editor asks again after a change.
    if (document.version !== version) return [];
    const { replaceByReference: replace } = await import('../model/environment/envEdit.ts');
    return file.problems
      .filter((problem) => rangeOf(document, problem).intersection(range))
      .flatMap((problem) => {
        const resolved = diagnostics.filter(
          ({ code, range: marked }) => code === problem.code && marked.isEqual(rangeOf(document, problem)),
        );
        return fixesOf(document, file, problem, resolved, replace);
      });
  }
}

function fixesOf(
  document: vscode.TextDocument,
  file: ManifestFile,
  { violation, part }: ManifestProblem,
  diagnostics: readonly vscode.Diagnostic[],
  replace: typeof replaceByReference,
): vscode.CodeAction[] {
  if (violation?.code === 'unresolvedSecret') {
    const { name } = violation.data;
    const title = shown`Add Secret “${name}”…`;
    return [commandFix({ title, diagnostics, isPreferred: true }, ADD, { name } satisfies AddRequest)];
  }
  if (violation?.code !== 'literalKey') return [];
  const { variable } = violation.data;
  const change = replace(file, { part, variable }, { kind: 'env', name: variable });
  if (!change) return [];
  const move: AddRequest = { uri: document.uri, place: { part, variable } };
  const edit = new vscode.WorkspaceEdit();
  edit.replace(
    document.uri,
    new vscode.Range(document.positionAt(change.start), document.positionAt(change.end)),
    change.text,
  );
  return [
    commandFix({ title: l10n.t('Move to a Secret…'), diagnostics, isPreferred: true }, ADD, move),
    editFix({ title: l10n.t('Use an Environment Variable'), diagnostics }, edit),
  ];
}
