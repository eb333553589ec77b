import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isQueue } from '../../../account/endpoints/endpointSnapshot.ts';
import { LanguageStatus } from '../../../kit/languageStatus.ts';
import { codeLens } from '../../../kit/marks.ts';
import { shown } from '../../../text/shownText.ts';
import { connectionIcon, connectionState } from '../../../account/connections/connectionWords.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { registerInsertFile } from '../insertFile.ts';
import { isQueueManifest } from '../model/manifestOfJobFile.ts';
import type { JobServices } from '../jobServices.ts';
import { jobFileSelector } from '../jobFiles.ts';
import { isJobFile } from '../jobShells.ts';
import { registerJobDiagnostics, registerJobProposals, registerJobStructure } from './jobProviders.ts';
import { JobFileModels } from './jobFileModels.ts';
import type { JobSchemas } from './jobSchemas.ts';
import { jobLenses } from './jobLenses.ts';

/** Registers the services of the editor for job files. */
export function registerJobLanguage(services: JobServices): vscode.Disposable {
  const { clock, log, endpoints, manifests: schemas } = services;
  const models = new JobFileModels({ clock, log, schemas, endpoints: () => endpointNames(endpoints, schemas) });
  return vscode.Disposable.from(
    models,
    registerJobDiagnostics(models),
    registerJobProposals(models),
    registerJobStructure(models),
    registerJobLenses(services, models),
    new JobStatus(services, models),
    registerInsertFile(),
  );
}

/** Returns the names of the queue endpoints on the connection and in the manifests of the workspace. */
function endpointNames({ endpoints }: JobServices['endpoints'], { known }: JobSchemas) {
  const deployed = endpoints
    .filter(({ endpoint }) => isQueue(endpoint))
    .map(({ endpoint: { name, id } }) => ({ value: name, detail: id }));
  const names = new Set(deployed.map(({ value }) => value));
  const planned = known.flatMap((manifest) => {
    const { name, path } = manifest;
    return name === undefined || names.has(name) || !isQueueManifest(manifest) ? [] : [{ value: name, detail: path }];
  });
  return [...deployed, ...planned];
}

type Sources = Pick<AccountServices, 'connections' | 'log'>;

/** Registers the actions above a job file. */
function registerJobLenses({ connections, manifests }: JobServices, models: JobFileModels): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    changed,
    connections.onDidChange(() => changed.fire()),
    manifests.onDidChange(() => changed.fire()),
    vscode.languages.registerCodeLensProvider(jobFileSelector, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: async (document) => {
        const { schema } = await models.read(document);
        const hasForm = schema.input !== undefined;
        return jobLenses(connections, document.uri, hasForm).map((lens) => codeLens(0, lens));
      },
    }),
  );
}

/** Shows the endpoint and the connection of the job file in the active editor in a language status item. */
class JobStatus implements vscode.Disposable {
  readonly #sources: Sources;
  readonly #models: JobFileModels;
  readonly #item = new LanguageStatus('cloudCompute.job', l10n.t('Endpoint of the Job'), jobFileSelector);
  readonly #subscriptions: vscode.Disposable;

  constructor(sources: Sources, models: JobFileModels) {
    this.#sources = sources;
    this.#models = models;
    this.#subscriptions = vscode.Disposable.from(
      this.#item,
      vscode.window.onDidChangeActiveTextEditor(() => this.#update()),
      sources.connections.onDidChange(() => this.#update()),
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
    if (!document || !isJobFile(document.uri)) return;
    this.#models
      .read(document)
      .then(({ checked, schema }) => this.#show(checked.endpoint ?? schema.manifest?.name))
      .catch((error: unknown) => this.#sources.log.error('Could not read the job file', error));
  }

  #show(endpoint: string | undefined): void {
    const { profile } = this.#sources.connections;
    const to = shown`${endpoint ?? l10n.t('Ask for Endpoint')}`;
    const named = endpoint === undefined ? shown`an endpoint that you choose` : shown`“${endpoint}”`;
    const { Information, Warning } = vscode.LanguageStatusSeverity;
    const command = { title: l10n.t('Switch Connection'), command: 'cloudCompute.connections.switch' };
    if (!profile) {
      const text = shown`$(debug-disconnect) ${to}`;
      this.#item.show({ text, detail: l10n.t('No platform is connected.'), severity: Warning, command });
      return;
    }
    const text = shown`${connectionIcon(profile)} ${to}`;
    const detail = shown`Runs on ${named} of “${profile.name}” (${connectionState(profile)}).`;
    this.#item.show({ text, detail, severity: Information, command });
  }
}
