import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { setContext } from '../../../kit/contextKeys.ts';
import { LanguageStatus } from '../../../kit/languageStatus.ts';
import type { Log } from '../../../kit/log.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { fileSelector, isManifestFile } from '../manifestFiles.ts';
import { statusOfFile, type StatusKind, fileDetail, statusWords } from '../model/deployment/partStatus.ts';
import type { DeployedPart, Deployment } from './deployment.ts';

interface Sources {
  readonly log: Log;
  readonly connections: AccountServices['connections'];
  readonly models: ManifestModels;
  readonly deployment: Deployment;
}

interface Remedy {
  readonly title: string;
  readonly command: CommandId | 'workbench.actions.view.problems';
}

/** Command of the status item for each state. */
const commands: Readonly<Record<StatusKind, Remedy>> = {
  invalid: { title: l10n.t('Show Problems'), command: 'workbench.actions.view.problems' },
  notDeployed: { title: l10n.t('Create Endpoint'), command: 'cloudCompute.manifest.createEndpoint' },
  inSync: { title: l10n.t('Compare with Deployed'), command: 'cloudCompute.manifest.compare' },
  drifted: { title: l10n.t('Compare with Deployed'), command: 'cloudCompute.manifest.compare' },
  ambiguous: { title: l10n.t('Choose Endpoint'), command: 'cloudCompute.manifest.link' },
  unknown: { title: l10n.t('Refresh'), command: 'cloudCompute.endpoints.refresh' },
};
const CONNECT: Remedy = { title: l10n.t('Connect'), command: 'cloudCompute.connections.switch' };

const severities: Readonly<Record<StatusKind, vscode.LanguageStatusSeverity>> = {
  invalid: vscode.LanguageStatusSeverity.Error,
  drifted: vscode.LanguageStatusSeverity.Warning,
  ambiguous: vscode.LanguageStatusSeverity.Warning,
  notDeployed: vscode.LanguageStatusSeverity.Information,
  inSync: vscode.LanguageStatusSeverity.Information,
  unknown: vscode.LanguageStatusSeverity.Information,
};

/** Shows the state of the manifest in the active editor in a language status item, and in context keys. */
export class DeployedStatus implements vscode.Disposable {
  readonly #sources: Sources;
  readonly #item = new LanguageStatus('cloudCompute.manifest', l10n.t('Deployed Endpoint'), fileSelector);
  readonly #subscriptions: vscode.Disposable;
  #shown = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
    const { models, deployment } = sources;
    this.#subscriptions = vscode.Disposable.from(
      this.#item,
      vscode.window.onDidChangeActiveTextEditor(() => this.#update()),
      deployment.onDidChange(() => this.#update()),
      models.onDidRead(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) this.#update();
      }),
    );
    this.#update();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #update(): void {
    const document = vscode.window.activeTextEditor?.document;
    const turn = ++this.#shown;
    if (!document || !isManifestFile(document.uri)) {
      setKeys([]);
      return;
    }
    const { models, deployment, log } = this.#sources;
    models
      .read(document)
      .then((file) => deployment.observe(document.uri, file))
      .then((parts) => {
        if (turn === this.#shown) this.#show(document, parts);
      })
      .catch((error: unknown) => log.error('Could not compare the manifest with its endpoint', error));
  }

  #show({ uri }: vscode.TextDocument, parts: readonly DeployedPart[]): void {
    setKeys(parts);
    const { client, profile } = this.#sources.connections;
    const platform = client && profile ? profile.name : undefined;
    const statuses = parts.map(({ status }) => status);
    const status = statusOfFile(statuses);
    const { kind } = status;
    const { text } = statusWords(status, platform);
    const index = Math.max(
      0,
      statuses.findIndex((one) => one.kind === kind),
    );
    const { title, command } = kind === 'unknown' && platform === undefined ? CONNECT : commands[kind];
    const takesFile = command.startsWith('cloudCompute.manifest.');
    this.#item.show({
      text,
      detail: fileDetail(statuses, platform, status),
      severity: severities[kind],
      command: { title, command, ...(takesFile && { arguments: [uri, index] }) },
    });
  }
}

function setKeys(parts: readonly DeployedPart[]): void {
  const statuses = parts.map(({ status }) => status);
  setContext('cloudCompute.manifestStatus', parts.length > 0 ? statusOfFile(statuses).kind : undefined);
  const has = (kind: 'one' | 'ambiguous') => parts.some(({ match }) => match?.kind === kind);
  setContext('cloudCompute.manifestDeployed', has('one') || has('ambiguous'));
  setContext(
    'cloudCompute.manifestLinked',
    parts.some(({ match }) => match?.kind === 'one' && match.linked),
  );
}
