import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { codeAction, commandFix, editFix } from '../../../kit/marks.ts';
import { diagnosticsOf, editOf, rangeOf } from '../../../kit/problems.ts';
import { shown } from '../../../text/shownText.ts';
import { manifestSelector } from '../manifestFiles.ts';
import type { CheckOptions, ManifestFile } from '../model/manifestFile.ts';
import type { ManifestProblem } from '../model/problem.ts';
import type { AddRequest } from '../secrets/addSecret.ts';
import type { ManifestModels } from './manifestModels.ts';

const { QuickFix, Refactor, SourceFixAll } = vscode.CodeActionKind;
/** Kind of the action that corrects all problems, such as when a file is saved. */
const FIX_ALL = SourceFixAll.append('cloudCompute');
const FIX_ALL_TITLE = l10n.t('Fix All Problems');
const ADD_SECRET = 'cloudCompute.secrets.add';
const BUILD = 'cloudCompute.manifest.build';
const CHOOSE_HARDWARE = 'cloudCompute.manifest.chooseHardware';
const CHOOSE_HARDWARE_TITLE = l10n.t('Choose Hardware…');
const PUSH = 'cloudCompute.manifest.buildAndPush';

type Models = Pick<ManifestModels, 'read'>;

/** Registers the corrections of problems in manifests. */
export function registerManifestCodeActions(
  models: Models,
  options: (document: vscode.TextDocument) => CheckOptions,
): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(manifestSelector, new ManifestCodeActions(models, options), {
    providedCodeActionKinds: [QuickFix, Refactor, FIX_ALL],
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
    const wantsChange = only === undefined || only.contains(Refactor);
    if (!wantsAll && !wantsQuick && !wantsChange) return [];
    const file = await this.#models.read(document);
    if (token.isCancellationRequested) return [];
    const quick = wantsQuick ? await quickFixes(document, file, range, diagnostics) : [];
    const several = quick.length > 0 && (await hasSeveralFixes(file));
    return [
      ...quick,
      ...(several ? [this.#fixAll(document, QuickFix)] : []),
      ...(wantsAll ? [this.#fixAll(document, FIX_ALL)] : []),
      ...(wantsChange ? hardwareActions(document, file, range) : []),
    ];
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

/** Fields that decide which hardware workers can have. */
const HARDWARE_FIELDS = ['gpu', 'cpu', 'dataCenterIds'];

/** Returns the action that chooses hardware, at the fields that it affects. */
function hardwareActions(document: vscode.TextDocument, { text, parts }: ManifestFile, range: vscode.Range) {
  if (document.getText() !== text) return [];
  return parts.flatMap(({ root, index }) => {
    const members = root?.kind === 'map' ? root.members : [];
    const isHere = members.some(
      ({ key, keySpan, value }) =>
        HARDWARE_FIELDS.includes(key) &&
        rangeOf(document, { start: keySpan.start, end: Math.max(keySpan.end, value.end) }).intersection(range),
    );
    if (!isHere) return [];
    const action = codeAction(CHOOSE_HARDWARE_TITLE, Refactor);
    action.command = { title: action.title, command: CHOOSE_HARDWARE, arguments: [document.uri, index] };
    return [action];
  });
}

async function quickFixes(
  document: vscode.TextDocument,
  file: ManifestFile,
  range: vscode.Range,
  shownDiagnostics: readonly vscode.Diagnostic[],
): Promise<vscode.CodeAction[]> {
  const { fixesOf } = await import('../model/fixes/fixesOf.ts');
  const { replaceByReference } = await import('../model/environment/envEdit.ts');
  // The places belong to another version after a change, and then the editor asks again.
  if (document.getText() !== file.text) return [];
  return file.problems
    .filter((problem) => rangeOf(document, problem).intersection(range))
    .flatMap((problem) => {
      const diagnostics = diagnosticsOf(document, problem, shownDiagnostics);
      const fixes = fixesOf(file, problem).map(({ title, changes, isPreferred }) =>
        editFix({ title, diagnostics, isPreferred }, editOf(document, changes)),
      );
      return [...fixes, ...secretFixes(problem, diagnostics), ...commandFixes(problem, diagnostics)];
    });

  /** Returns the correction of an image that is not built or not pushed, and of hardware without stock. */
  function commandFixes({ violation, part }: ManifestProblem, diagnostics: vscode.Diagnostic[]): vscode.CodeAction[] {
    if (violation?.code === 'pinnedWithoutStock')
      return [
        commandFix(
          { title: CHOOSE_HARDWARE_TITLE, diagnostics, isPreferred: true },
          CHOOSE_HARDWARE,
          document.uri,
          part,
        ),
      ];
    if (violation?.code === 'imageNotBuilt')
      return [commandFix({ title: l10n.t('Build Image'), diagnostics, isPreferred: true }, BUILD, document.uri, part)];
    if (violation?.code !== 'imageOnlyLocal') return [];
    const title = l10n.t('Build and Push Image…');
    return [commandFix({ title, diagnostics, isPreferred: true }, PUSH, document.uri, part)];
  }

  /** Returns the corrections of secrets that do not exist, and of literals that look like keys. */
  function secretFixes(problem: ManifestProblem, diagnostics: vscode.Diagnostic[]): vscode.CodeAction[] {
    const { violation, part, environments } = problem;
    if (violation?.code === 'unresolvedSecret') {
      const { name } = violation.data;
      const title = shown`Add Secret “${name}”…`;
      return [commandFix({ title, diagnostics, isPreferred: true }, ADD_SECRET, { name } satisfies AddRequest)];
    }
    if (violation?.code !== 'literalKey' || environments) return [];
    const place = { part, variable: violation.data.variable };
    const change = replaceByReference(file, place, { kind: 'env', name: place.variable });
    if (!change) return [];
    const move: AddRequest = { uri: document.uri, place };
    return [
      commandFix({ title: l10n.t('Move to a Secret…'), diagnostics, isPreferred: true }, ADD_SECRET, move),
      editFix({ title: l10n.t('Use an Environment Variable'), diagnostics }, editOf(document, [change])),
    ];
  }
}

async function hasSeveralFixes(file: ManifestFile): Promise<boolean> {
  const { isFixable } = await import('../model/fixes/fixesOf.ts');
  const { isFixedByAll } = await import('../model/fixes/fixAll.ts');
  return file.problems.filter((problem) => isFixedByAll(problem) && isFixable(file, problem)).length > 1;
}
