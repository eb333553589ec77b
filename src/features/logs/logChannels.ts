import * as vscode from 'vscode';
import type { Clock } from '../../client/clock.ts';
import { createOutput, type Output } from '../../vscode/log.ts';
import { foreign, shown } from '../../vscode/text/shownText.ts';
import { LogText } from './logFormat.ts';
import { workerKey, type LoggedWorker } from './model/loggedWorker.ts';
import type { LogItem, WorkerLogStore } from './workerLogStore.ts';

/** Longest endpoint name or worker ID in the name of a channel, in UTF-16 code units. */
const LONGEST_NAME = 100;

interface LogChannel {
  readonly output: Output;
  readonly text: LogText;
  /** Text that is written but not yet passed to the editor. */
  waiting: string;
}

/** Writes the log of each followed worker to its own output channel. A channel lives as long as its connection. */
export class LogChannels implements vscode.Disposable {
  readonly #clock: Clock;
  readonly #channels = new Map<string, LogChannel>();
  readonly #subscriptions: vscode.Disposable;

  constructor(store: WorkerLogStore, clock: Clock) {
    this.#clock = clock;
    this.#subscriptions = vscode.Disposable.from(
      store.onDidAppend(({ worker, item }) => this.#append(worker, item)),
      store.onDidForget(() => this.#disposeChannels()),
    );
  }

  /** Shows a worker's channel without moving the focus. */
  show(worker: LoggedWorker): void {
    this.#channel(worker).output.show();
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#disposeChannels();
  }

  #append(worker: LoggedWorker, item: LogItem): void {
    const channel = this.#channel(worker);
    const { text } = channel;
    const line = 'event' in item ? text.event(item.event) : text.state(item.state, this.#clock.now());
    // Batches the lines of one network packet into one write, so that a worker can print thousands of lines per second.
    if (channel.waiting === '') {
      queueMicrotask(() => flush(channel));
    }
    channel.waiting += line;
  }

  #channel(worker: LoggedWorker): LogChannel {
    const key = workerKey(worker);
    const known = this.#channels.get(key);
    if (known) return known;
    // The `log` language colors timestamps, levels, and quoted strings.
    const output = createOutput(
      shown`${foreign(worker.endpointName, LONGEST_NAME)} / ${foreign(worker.workerId, LONGEST_NAME)}`,
      'log',
    );
    const channel = { output, text: new LogText(), waiting: '' };
    this.#channels.set(key, channel);
    return channel;
  }

  #disposeChannels(): void {
    for (const channel of this.#channels.values()) {
      channel.waiting = '';
      channel.output.dispose();
    }
    this.#channels.clear();
  }
}

function flush(channel: LogChannel): void {
  // A channel that was disposed in the meantime has no waiting text.
  if (channel.waiting !== '') channel.output.append(channel.waiting);
  channel.waiting = '';
}
