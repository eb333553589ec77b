import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { manifestSelector } from '../manifestFiles.ts';
import { addSecret } from './addSecret.ts';
import { manageSecrets } from './manageSecrets.ts';
import { SecretCodeActions } from './secretCodeActions.ts';

/** Registers the commands and quick fixes for secrets and references in manifests. */
export function registerSecrets({ log, secrets }: AccountServices, models: ManifestModels): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.languages.registerCodeActionsProvider(manifestSelector, new SecretCodeActions(models), {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    registerCommand(log, 'cloudCompute.secrets.add', l10n.t('Could not add the secret'), (argument) =>
      addSecret(secrets, models, argument),
    ),
    registerCommand(log, 'cloudCompute.secrets.manage', l10n.t('Could not change the secrets'), () =>
      manageSecrets(secrets, models),
    ),
  );
}
