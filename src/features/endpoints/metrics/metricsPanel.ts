import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { Connected } from '../../../account/connectedPoller.ts';
import { showError } from '../../../kit/errors.ts';
import { showPage, type PageHost } from '../../../kit/panels.ts';
import { saveExport } from '../../../kit/files.ts';
import { followVisibility } from '../../../kit/visibility.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { foreign } from '../../../text/shownText.ts';
import {
  KeptSelection,
  type MetricsAction,
  type MetricsChart,
  type MetricsSelection,
  type MetricsTarget,
  type MetricsToHost,
  type MetricsToWebview,
} from '../../../webviews/metrics/messages.ts';
import { measuredOrObserved, measuredSource } from './actions/metricsSource.ts';
import { ObservationState, observedSource } from './actions/observedSource.ts';
import type { FindDeployments } from '../model/releaseWords.ts';
import { MetricsStore } from './metricsStore.ts';
import { metricsChart, metricsView, METRICS_PAGE, METRICS_COMMANDS } from './metricsView.ts';
import { csvOf, exportName, jsonOf } from './model/exports.ts';
import type { OwnJob } from './model/observation.ts';

/** Key of the selection of the last opening. */
const KEPT = 'cloudCompute.metrics.selection';

const CHECK_JOB: CommandId = 'cloudCompute.jobs.checkStatus';

/** Reads the jobs of an endpoint that the user ran from this editor. */
export type OwnJobs = (connectionId: string, endpointId: string) => Promise<readonly OwnJob[]>;

/** Functions of other features that read data for the view. */
export interface MetricsReaders {
  readonly ownJobs: OwnJobs;
  readonly findDeployments: FindDeployments;
}

export interface MetricsPanelOptions extends MetricsReaders {
  readonly services: AccountServices;
  readonly target: MetricsTarget;
  /** Selection that the page kept before a reload. */
  readonly selection?: MetricsSelection | undefined;
}

/** Host side of the metrics of one endpoint. It owns a store that has the same lifetime as the panel. */
export class MetricsPanel implements vscode.Disposable {
  readonly #services: Pick<AccountServices, 'context' | 'log' | 'connections'>;
  readonly #target: MetricsTarget;
  readonly #page: PageHost<MetricsToWebview>;
  readonly #store: MetricsStore;
  readonly #subscriptions: vscode.Disposable;
  /** The charts with all of their buckets, for exports. */
  #chart: MetricsChart | undefined;
  /** The data that the page's charts show, to send them only when they change. */
  #chartOf: readonly unknown[] = [];

  constructor(
    panel: vscode.WebviewPanel,
    { services, ownJobs, findDeployments, target, selection }: MetricsPanelOptions,
  ) {
    this.#services = services;
    this.#target = target;
    const { context, log, clock, connections, globalState } = services;
    const { connectionId, endpointId } = target;
    const kept = selection ?? KeptSelection.safeParse(context.globalState.get(KEPT)).data?.selection;
    const observations = new ObservationState(globalState);
    this.#store = new MetricsStore({
      connections: onlyWhile(connections, connectionId),
      clock,
      endpointId,
      deployments: () => findDeployments(endpointId),
      source: (platform) =>
        connections.profile?.kind === 'local'
          ? measuredSource(endpointId)
          : measuredOrObserved(
              platform,
              measuredSource(endpointId, () => clock.now()),
              () =>
                observedSource({
                  ...{ connectionId, endpointId, clock },
                  state: observations,
                  ownJobs: () => ownJobs(connectionId, endpointId),
                }),
            ),
      selection: kept && { ...kept, release: selection?.release, compare: selection?.compare ?? 'none' },
    });
    this.#page = showPage(panel, METRICS_PAGE, { context, log, onMessage: (message) => this.#onMessage(message) });
    this.#subscriptions = vscode.Disposable.from(
      this.#store,
      observations,
      this.#store.onDidChange(() => this.#showState()),
      connections.onDidChange(() => this.#showState()),
      this.#page.subscription,
      followVisibility(this.#store, panel, panel.onDidChangeViewState),
      panel.onDidDispose(() => this.dispose()),
    );
  }

  /** Disposes the store and the listeners. Does not dispose the panel, which the editor restores after a reload. */
  dispose(): void {
    this.#subscriptions.dispose();
  }

  #onMessage(message: MetricsToHost): void {
    switch (message.type) {
      case 'ready':
        this.#chartOf = [];
        this.#showState();
        return;
      case 'select':
        this.#store.select(message.change);
        void this.#services.context.globalState.update(KEPT, { selection: this.#store.state.selection });
        return;
      case 'refresh':
        this.#store.refresh();
        return;
      case 'export':
        void this.#export(message.format);
        return;
      case 'copy':
        void this.#copy();
        return;
      case 'act':
        void this.#act(message.action);
        return;
      case 'listJobs':
        void this.#store.listJobs({ start: message.start, end: message.end });
        return;
      case 'closeJobs':
        this.#store.closeJobs();
        return;
      case 'openJob':
        void this.#openJob(message.id);
        return;
    }
  }

  #showState(): void {
    const { state } = this.#store;
    this.#page.send({ type: 'view', view: metricsView(state, this.#target, this.#services.connections) });
    const { facts, reading, compared, selection } = state;
    const of = [reading.value, compared.value, facts.value?.isQueue, selection.duration];
    if (of.length === this.#chartOf.length && of.every((part, index) => part === this.#chartOf[index])) return;
    this.#chartOf = of;
    this.#chart = metricsChart(state);
    this.#page.send({ type: 'chart', chart: this.#chart });
  }

  async #act(action: MetricsAction): Promise<void> {
    const { endpointId } = this.#target;
    const args = action === 'runJob' ? [{ kind: 'endpoint', endpointId }] : [];
    await vscode.commands.executeCommand(METRICS_COMMANDS[action], ...args);
  }

  /** Opens the document of a listed job. */
  async #openJob(shownId: string): Promise<void> {
    const { endpointId, name } = this.#target;
    const job = this.#store.state.jobs?.value?.find(({ id }) => foreign(id).text === shownId);
    if (job) await vscode.commands.executeCommand(CHECK_JOB, { endpointId, endpointName: name, jobId: job.id });
  }

  async #export(format: 'csv' | 'json'): Promise<void> {
    const chart = this.#chart;
    if (!chart) return;
    const { name } = this.#target;
    const content = format === 'csv' ? csvOf(chart) : jsonOf(chart, name);
    try {
      if (await saveExport(l10n.t('Export Metrics'), exportName(name, chart, format), content))
        this.#page.send({ type: 'exported', to: 'file' });
    } catch (error) {
      showError(this.#services.log, error, l10n.t('Could not export the metrics'));
    }
  }

  async #copy(): Promise<void> {
    if (!this.#chart) return;
    await vscode.env.clipboard.writeText(csvOf(this.#chart));
    this.#page.send({ type: 'exported', to: 'clipboard' });
  }
}

/** Returns the connections as long as the current one has this ID. Others have no client. */
function onlyWhile(connections: AccountServices['connections'], id: string): Connected {
  return {
    get client() {
      return connections.profile?.id === id ? connections.client : undefined;
    },
    onDidChange: (listener) => connections.onDidChange(listener),
  };
}
