import * as vscode from 'vscode';
import pMap from 'p-map';
import type { Clock } from '../../../client/clock.ts';
import { createOutput, type Output } from '../../../kit/log.ts';
import type { LineColors } from '../colors/lineColors.ts';
import type { FollowedLogs } from '../follow/followedLogs.ts';
import { LOG_LANGUAGE } from '../logLanguage.ts';
import type { FollowState } from '../model/followState.ts';
import type { LogViewOptions } from '../model/logOptions.ts';
import {
  includesWorker,
  subjectKey,
  workerKey,
  channelName,
  showsChannel,
  type LogSubject,
  type LoggedWorker,
} from '../model/logSubject.ts';
import type { Trouble } from '../model/trouble.ts';
import { LogChannel } from './logChannel.ts';
import { type PanelItem, MAX_WRITTEN } from './panelQueue.ts';

interface Shown {
  readonly channel: LogChannel;
  readonly output: Output;
  readonly name: string;
  readonly cleared: Map<string, number>;
}

export interface LogChannelsOptions {
  readonly followed: FollowedLogs;
  readonly colors: LineColors;
  readonly clock: Clock;
  /** Called with an error of a read. */
  readonly onError: (error: unknown) => void;
  readonly options: () => LogViewOptions;
  readonly onDidChangeOptions: (listener: () => unknown) => vscode.Disposable;
}

/** Writes each followed log to its own output channel. A channel lives as long as its connection. */
export class LogChannels implements vscode.Disposable {
  readonly #options: LogChannelsOptions;
  readonly #channels = new Map<string, Shown>();
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires when another channel is visible. */
  readonly onDidChangeVisible = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: LogChannelsOptions) {
    this.#options = options;
    const { followed } = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      followed.onDidReceive(({ worker, entries }) =>
        this.#add(worker, () => entries.map((entry) => ({ kind: 'line', worker, at: entry.at, entry }))),
      ),
      followed.onDidChangeState(({ worker, state }) => this.#onState(worker, state)),
      followed.onDidChangeLog(({ subject, state }) => this.addState(subject, state)),
      followed.onDidOpen((worker) => this.#onOpen(worker)),
      followed.onDidForget(() => this.#disposeChannels()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#onVisible()),
      options.onDidChangeOptions(() => void this.#rewriteAll()),
    );
  }

  /** Log of the visible output channel. Undefined if another channel or none is visible. */
  get visible(): LogSubject | undefined {
    return vscode.window.visibleTextEditors.map(({ document }) => this.subjectOf(document)).find(Boolean);
  }

  /** Returns the log that an output document shows. */
  subjectOf(document: vscode.TextDocument): LogSubject | undefined {
    if (document.languageId !== LOG_LANGUAGE) return undefined;
    return [...this.#channels.values()].find(({ name }) => showsChannel(document.uri, name))?.channel.subject;
  }

  /**
   * Creates the channel of a log without showing it. A channel that is new, or whose log was stopped, gets the lines that other logs have
   * received.
   */
  create(subject: LogSubject): void {
    const { followed } = this.#options;
    this.#channel(subject);
    if (!followed.find(subject)?.isWanted && followed.workersOf(subject).length > 0) void this.#fill(subject);
  }

  /** Shows the channel of a log without moving the focus. */
  show(subject: LogSubject): void {
    this.#channel(subject).output.show();
  }

  /** Adds a line about the state of a log to its channel. */
  addState(subject: LogSubject, state: FollowState): void {
    const at = this.#options.clock.now();
    this.#channel(subject).channel.add([{ kind: 'state', worker: undefined, at, state }]);
  }

  /** Adds a line about a trouble to the logs of a worker. */
  addTrouble(worker: LoggedWorker, trouble: Trouble): void {
    this.#add(worker, () => [{ kind: 'trouble', worker, at: trouble.at, trouble }]);
  }

  clear(subject: LogSubject): void {
    const shown = this.#channels.get(subjectKey(subject));
    if (!shown) return;
    const { followed } = this.#options;
    for (const worker of followed.workersOf(subject)) {
      shown.cleared.set(workerKey(worker), followed.logOf(worker)?.archive.appended ?? 0);
    }
    shown.channel.clear();
  }

  /** Fills the channel of a log with its newest stored lines. */
  async #fill(subject: LogSubject): Promise<void> {
    const shown = this.#channels.get(subjectKey(subject));
    await shown?.channel.rewrite(() => this.#recent(shown)).catch(this.#options.onError);
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#disposeChannels();
  }

  /** Shows the lines that a worker's archive has from an earlier session. */
  #onOpen(worker: LoggedWorker): void {
    if (!this.#options.followed.logOf(worker)?.archive.count) return;
    for (const shown of this.#channels.values()) {
      if (includesWorker(shown.channel.subject, worker)) this.#gather(shown);
    }
  }

  #onState(worker: LoggedWorker, state: FollowState): void {
    const { clock } = this.#options;
    this.#add(worker, () => [{ kind: 'state', worker, at: clock.now(), state }]);
    if (state.kind !== 'connected') return;
    for (const shown of this.#channels.values()) {
      if (shown.channel.isMerged && includesWorker(shown.channel.subject, worker)) this.#gather(shown);
    }
  }

  /** Rewrites a channel soon, because several workers often become known at once. */
  #gather(shown: Shown): void {
    shown.channel.gather(() => this.#recent(shown)).catch(this.#options.onError);
  }

  #recent({ channel, cleared }: Shown): Promise<readonly PanelItem[]> {
    return recentItems(this.#options.followed, channel.subject, cleared);
  }

  #add(worker: LoggedWorker, items: () => readonly PanelItem[]): void {
    for (const { channel } of this.#channels.values()) {
      const { subject } = channel;
      const isWanted = this.#options.followed.find(subject)?.isWanted;
      if (isWanted && includesWorker(subject, worker)) channel.add(items());
    }
  }

  #channel(subject: LogSubject): Shown {
    const key = subjectKey(subject);
    const known = this.#channels.get(key);
    if (known) return known;
    const { clock, options, colors } = this.#options;
    const name = channelName(subject, (taken) => [...this.#channels.values()].some((one) => one.name === taken));
    const output = createOutput(name, LOG_LANGUAGE);
    const onText = ({ text, spans }: { text: string; spans: Parameters<LineColors['remember']>[1] }) =>
      colors.remember(text, spans);
    const channel = new LogChannel({ subject, output, clock, options, onText });
    const created = { channel, output, name: name.text, cleared: new Map<string, number>() };
    this.#channels.set(key, created);
    return created;
  }

  /** Reads the visibility of all channels again. Called after logs are added. */
  refreshVisible(): void {
    this.#onVisible();
  }

  #onVisible(): void {
    const { visible } = this;
    const key = visible && subjectKey(visible);
    for (const [one, { channel }] of this.#channels) this.#options.followed.setVisible(channel.subject, one === key);
    this.#changed.fire();
  }

  async #rewriteAll(): Promise<void> {
    await Promise.all([...this.#channels.values()].map(({ channel }) => this.#fill(channel.subject)));
  }

  #disposeChannels(): void {
    for (const { channel, output } of this.#channels.values()) {
      channel.dispose();
      output.dispose();
    }
    this.#channels.clear();
  }
}

/** Maximum number of archives that are read at the same time. */
const CONCURRENCY = 4;
/** Minimum number of lines of each worker. */
const LEAST_LINES = 50;

/** Number of lines that each worker had received when its log was cleared, by the key of the worker. */
type Cleared = ReadonlyMap<string, number>;

/**
 * Returns the newest stored lines of a log, about as many as the panel shows at once, in the order of their times. The lines are those that
 * are stored at the time of the call.
 */
async function recentItems(
  followed: FollowedLogs,
  subject: LogSubject,
  cleared: Cleared,
): Promise<readonly PanelItem[]> {
  const workers = followed.workersOf(subject);
  const most = Math.max(LEAST_LINES, Math.ceil((2 * MAX_WRITTEN) / Math.max(1, workers.length)));
  const parts = workers.flatMap((worker) => {
    const archive = followed.logOf(worker)?.archive;
    if (!archive) return [];
    const since = cleared.get(workerKey(worker));
    const lines = since === undefined ? most : Math.min(most, archive.appended - since);
    const { count, generation } = archive;
    return [{ worker, archive, from: Math.max(0, count - lines), to: count, generation }];
  });
  const lists = await pMap(
    parts,
    async ({ worker, archive, from, to, generation }): Promise<readonly PanelItem[]> => {
      const entries = await archive.read(from, to);
      // The lines have other indexes now.
      if (archive.generation !== generation) return [];
      return entries.map((entry) => ({ kind: 'line', worker, at: entry.at, entry }));
    },
    { concurrency: CONCURRENCY },
  );
  return lists
    .flat()
    .toSorted((a, b) => a.at - b.at)
    .slice(-MAX_WRITTEN);
}
