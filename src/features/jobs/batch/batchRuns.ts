import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isCanceled, showError } from '../../../kit/errors.ts';
import { Emitter } from '../../../kit/emitter.ts';
import { showMessage } from '../../../kit/messages.ts';
import { withProgress, type Report } from '../../../kit/progress.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import type { Clock } from '../../../client/clock.ts';
import type { Log } from '../../../kit/log.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { Reports } from '../../../kit/documents/reports.ts';
import type { ConnectionStore } from '../../../account/connections/connectionStore.ts';
import { lockFolder } from '../../../machine/folderLock.ts';
import { BatchRunner } from './actions/runBatch.ts';
import type { BatchPlatform } from './actions/platformGate.ts';
import { Journal, readJournal } from './journal.ts';
import { nameOf, progressText } from './batchWords.ts';
import { MAX_IN_FLIGHT } from './model/batchState.ts';
import type { BatchHeader, BatchStop } from './model/journalEntries.ts';

export const BATCH_FAILED = l10n.t('Could not run the batch');
const PROGRESS_MS = 500;
const DEFAULT_IN_FLIGHT = 20;

export interface BatchServices extends AccountServices {
  readonly batches: Batches;
}

/** Batches of jobs: their files, and those that this window runs. */
export interface Batches {
  /** Folder of the folders of all batches. */
  readonly root: string;
  readonly runs: BatchRuns;
  readonly brokenRows: Reports;
}

/** A batch that this window runs. */
export interface ActiveBatch {
  readonly folder: string;
  readonly header: BatchHeader;
  readonly runner: BatchRunner;
}

interface RunServices {
  readonly connections: ConnectionStore;
  readonly clock: Clock;
}

/** Called when a batch of this window has ended. */
type OnEnded = (batch: ActiveBatch, stop: BatchStop) => Promise<void>;

/** Batches that this window runs, with their progress. */
export class BatchRuns implements vscode.Disposable {
  readonly #services: RunServices;
  readonly #onEnded: OnEnded;
  readonly #active = new Map<string, ActiveBatch>();
  readonly #changed = new Emitter<void>();

  constructor(services: RunServices, onEnded: OnEnded) {
    this.#services = services;
    this.#onEnded = onEnded;
  }

  find(id: string): ActiveBatch | undefined {
    return this.#active.get(id);
  }

  /**
   * Runs a batch, or continues an interrupted one. Resolves once it has ended.
   *
   * @param again rows that are sent once more, as new jobs
   * @throws UserError if another window runs the batch
   */
  async run(folder: string, again: readonly number[] = []): Promise<void> {
    const release = await lockFolder(folder);
    if (!release) throw runsElsewhere();
    try {
      if (again.length > 0) await sendAgain(folder, again);
      const { header } = (await readJournal(folder)).state;
      const runner = await BatchRunner.open({
        folder,
        ...{ platform: platformOf(this.#services, header.connectionId), clock: this.#services.clock },
        ...{ maxInFlight, onChange: () => this.#changed.fire() },
      });
      const batch = { folder, header, runner };
      this.#active.set(header.id, batch);
      try {
        const stop = await this.#runWithProgress(batch);
        if (stop !== undefined) await this.#onEnded(batch, stop);
      } finally {
        this.#active.delete(header.id);
      }
    } finally {
      await release();
    }
  }

  /** Asks what happens to the jobs in flight, and cancels the batch. */
  async cancel({ header, runner }: ActiveBatch): Promise<void> {
    const [cancelJobs, leave] = [l10n.t('Cancel Jobs'), l10n.t('Leave Jobs Running')] as const;
    const { accepted, sending } = runner.state.counts;
    const inFlight = accepted + sending;
    if (inFlight === 0) {
      runner.cancel('cancel');
      return;
    }
    const question = shown`Stop the batch ${nameOf(header)}? Its jobs in flight (${inFlight}) can be canceled, or continue.`;
    const chosen = await showMessage('warning', question, cancelJobs, leave, l10n.t('Continue Batch'));
    if (chosen === cancelJobs) runner.cancel('cancel');
    if (chosen === leave) runner.cancel('leave');
  }

  dispose(): void {
    for (const { runner } of this.#active.values()) void runner.drop();
    this.#changed.dispose();
  }

  async #runWithProgress(batch: ActiveBatch): Promise<BatchStop | undefined> {
    const { runner, header } = batch;
    const running = runner.run();
    // The progress can end before the batch.
    running.catch(() => undefined);
    for (;;) {
      const shownFor = withProgress(
        { title: shown`Batch ${nameOf(header)}`, location: vscode.ProgressLocation.Notification },
        (signal, report) => this.#report(batch, running, signal, report),
      );
      if ((await shownFor) === 'ended') return running;
      await this.cancel(batch);
    }
  }

  /** Reports the progress until the batch has ended or the user cancels. */
  async #report(
    { runner }: ActiveBatch,
    running: Promise<unknown>,
    signal: AbortSignal,
    report: Report,
  ): Promise<'ended' | 'canceled'> {
    const over = new AbortController();
    const ended = running.then(
      () => over.abort(),
      () => over.abort(),
    );
    const stop = AbortSignal.any([signal, over.signal]);
    while (!stop.aborted) {
      report(progressText(runner.progress));
      await this.#services.clock.sleep(PROGRESS_MS, stop).catch(() => undefined);
    }
    if (!over.signal.aborted) return 'canceled';
    await ended;
    return 'ended';
  }
}

export const runsElsewhere = (): UserError => new UserError(l10n.t('another window runs this batch'));

/** Runs a batch in the background. Its failure is shown. */
export function runInBackground(services: { readonly log: Log }, running: Promise<void>): void {
  running.catch((error: unknown) => {
    if (!isCanceled(error)) showError(services.log, error, BATCH_FAILED);
  });
}

async function sendAgain(folder: string, rows: readonly number[]): Promise<void> {
  const journal = await Journal.open(folder);
  try {
    await journal.sendAgain(rows);
  } finally {
    await journal.close();
  }
}

/** A key is only used while its connection is the current one. */
function platformOf({ connections }: RunServices, connectionId: string): BatchPlatform {
  return {
    client: () => (connections.profile?.id === connectionId ? connections.client : undefined),
    onDidChange: (listener) => connections.onDidChange(listener),
  };
}

function maxInFlight(): number {
  const value = vscode.workspace.getConfiguration('cloudCompute.batch').get('maxInFlight', DEFAULT_IN_FLIGHT);
  return Number.isInteger(value) ? Math.min(Math.max(value, 1), MAX_IN_FLIGHT) : DEFAULT_IN_FLIGHT;
}
