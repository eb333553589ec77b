import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnectionOf } from '../../account/connections/requireConnection.ts';
import { isCanceled, showError } from '../../kit/errors.ts';
import { explain } from '../../kit/explain.ts';
import { showPage, type PageHost } from '../../kit/panels.ts';
import { foreign } from '../../text/shownText.ts';
import type { TuningToHost, TuningToWebview, TuningView } from '../../webviews/tuning/messages.ts';
import { scalingTargets } from '../manifest/index.ts';
import { runTuning, type Tuned } from './actions/tune.ts';
import { hasIdleTimeout } from './model/candidates.ts';
import { tuningResult } from './model/tuningResult.ts';
import { changesText, failureWords, planSentences, sentence, settingChanges } from './model/words.ts';
import type { KeptTuning, OpenedTuning } from './openedTuning.ts';
import { TUNING_PAGE } from './tuningPage.ts';

/** Time between two intermediate results, in ms. */
const STEP_MS = 500;

export interface TuningPanelOptions {
  readonly services: AccountServices;
  /** What the page keeps for a reload. */
  readonly kept: KeptTuning;
  /** Reads what to simulate. It is called again after a failure. */
  readonly open: (signal: AbortSignal) => Promise<OpenedTuning>;
}

/** Host side of the page of a tuning. It runs the simulation while the panel is open. */
export class TuningPanel implements vscode.Disposable {
  readonly #options: TuningPanelOptions;
  readonly #page: PageHost<TuningToWebview>;
  readonly #subscriptions: vscode.Disposable;
  #opened: OpenedTuning | undefined;
  #running = new AbortController();
  #progress: Pick<TuningView, 'state' | 'done' | 'failure'> = { state: 'running', done: 0 };
  #tuned: Tuned | undefined;
  #sentAt = 0;

  constructor(panel: vscode.WebviewPanel, options: TuningPanelOptions) {
    this.#options = options;
    const { context, log, connections } = options.services;
    this.#page = showPage(panel, TUNING_PAGE, { context, log, onMessage: (message) => this.#onMessage(message) });
    this.#subscriptions = vscode.Disposable.from(
      this.#page.subscription,
      connections.onDidChange(() => this.#retry()),
      panel.onDidDispose(() => this.dispose()),
    );
    void this.#run();
  }

  dispose(): void {
    this.#running.abort();
    this.#subscriptions.dispose();
  }

  #onMessage(message: TuningToHost): void {
    switch (message.type) {
      case 'ready':
        this.#page.send({ type: 'keep', reopen: this.#options.kept });
        this.#show();
        return;
      case 'cancel':
        this.#running.abort();
        return;
      case 'repeat':
        if (this.#progress.state !== 'running') void this.#run();
        return;
      case 'apply':
        void this.#apply(message.id);
        return;
    }
  }

  /** Runs after a reload once the connection can be used. */
  #retry(): void {
    const { services, kept } = this.#options;
    if (this.#opened || this.#progress.state !== 'failed') return;
    try {
      requireConnectionOf(services.connections, kept.connectionId);
    } catch {
      return;
    }
    void this.#run();
  }

  async #run(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#tuned = undefined;
    this.#progress = { state: 'running', done: 0 };
    this.#show();
    try {
      this.#opened ??= await this.#options.open(running.signal);
      await this.#simulate(this.#opened, running.signal);
    } catch (error) {
      this.#progress =
        running.signal.aborted || isCanceled(error)
          ? { state: 'canceled', done: 0 }
          : { state: 'failed', done: 0, failure: explain(error, l10n.t('Could not tune the scaling')).text };
    }
    this.#show();
  }

  async #simulate({ plan }: OpenedTuning, signal: AbortSignal): Promise<void> {
    const { services } = this.#options;
    this.#show();
    const ended = await runTuning(plan, {
      script: services.context.asAbsolutePath('dist/simulation.js'),
      signal,
      onProgress: (done, _, tuned) => {
        this.#progress = { state: 'running', done };
        const now = services.clock.now();
        if (now - this.#sentAt < STEP_MS) return;
        this.#sentAt = now;
        this.#tuned = tuned();
        this.#show();
      },
    });
    const { done } = this.#progress;
    if (!('kind' in ended)) {
      this.#tuned = ended;
      this.#progress = { state: 'done', done };
    } else if (ended.kind === 'canceled') this.#progress = { state: 'canceled', done };
    else this.#progress = { state: 'failed', done, failure: sentence(failureWords(ended)) };
  }

  #show(): void {
    const { plan, target, connection = '' } = this.#opened ?? {};
    const name = plan?.subject.name ?? this.#options.kept.name;
    this.#page.send({
      type: 'view',
      view: {
        ...{ name: foreign(name).text, connection: foreign(connection).text },
        ...this.#progress,
        total: plan?.candidates.length ?? 0,
        notes: [...(plan ? planSentences(plan) : [])],
        applies: target?.place ? 'manifest' : 'endpoint',
      },
    });
    if (plan && this.#tuned) this.#page.send({ type: 'result', result: tuningResult(plan.subject.type, this.#tuned) });
  }

  async #apply(id: string): Promise<void> {
    if (!this.#opened) return;
    const { services } = this.#options;
    const { target, plan } = this.#opened;
    const chosen = plan.candidates.find((candidate) => candidate.id === id);
    const [present] = plan.candidates;
    if (!chosen || !present) return;
    const { type } = plan.subject;
    const { scaling, min, max, idleTimeout, flashboot } = chosen.settings;
    try {
      await scalingTargets.apply(
        services,
        target,
        {
          ...{ scaling, min, max, flashboot },
          idleTimeout: hasIdleTimeout(type, scaling) ? idleTimeout : undefined,
          hardware: chosen.hardware === present.hardware ? undefined : chosen.hardware,
        },
        changesText(settingChanges(type, present, chosen)),
      );
    } catch (error) {
      showError(services.log, error, l10n.t('Could not apply the settings'));
    }
  }
}
