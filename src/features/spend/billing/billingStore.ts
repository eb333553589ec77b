import type { ApiError } from '../../../client/apiError.ts';
import type { CallOptions } from '../../../client/request.ts';
import type { Clock } from '../../../client/clock.ts';
import type { BillingQuery, BillingResponse } from '../../../contract/billing.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import { ConnectedPoller, type Connected, type ConnectedPlatform } from '../../../account/connectedPoller.ts';
import { Emitter } from '../../../kit/emitter.ts';
import type { BillingSelection } from '../../../webviews/billing/messages.ts';
import {
  readAccount,
  readGroups,
  readMonth,
  readResources,
  type GroupReport,
  type Resources,
} from './actions/readBilling.ts';
import { addBuckets, MAX_SHOWN_BUCKETS } from './model/buckets.ts';
import { queryBefore } from './model/change.ts';
import { serviceNow } from '../../../account/prices/forecast.ts';
import {
  completed,
  countOf,
  DEFAULT_SELECTION,
  inBars,
  problemOf,
  queryOf,
  type SelectionProblem,
} from './model/selection.ts';

/** A part of the view that is read with requests of its own. The last value is kept when a later request fails. */
export interface Part<Value> {
  readonly value?: Value | undefined;
  readonly error?: ApiError | undefined;
  /** Time of the last answer, in ms since the epoch on this machine. */
  readonly readAt?: number | undefined;
}

export interface BillingState {
  readonly selection: BillingSelection;
  readonly problem: SelectionProblem | undefined;
  readonly busy: boolean;
  /** Spend of the account in the window. */
  readonly account: Part<BillingResponse>;
  /** Spend in the window before, if that window has finished buckets. */
  readonly before: Part<BillingResponse>;
  /** Days for the forecast. */
  readonly month: Part<BillingResponse>;
  /** Report of the grouping. Unused when grouping by kind. */
  readonly groups: Part<GroupReport>;
  readonly resources: Part<Resources>;
}

const INTERVAL_MS = 15_000;
/** Pause between reads of many buckets, whose responses have several megabytes. */
const LONG_INTERVAL_MS = 60_000;
const MANY_BUCKETS = 1_000;
/** Age at which the forecast and the names are read again. They change slowly, and rate limits are shared with other views. */
const SLOW_MS = 300_000;

const NOTHING: Part<never> = {};
const OF_CONNECTION = { busy: false, account: NOTHING, before: NOTHING, month: NOTHING, groups: NOTHING } as const;

/** Parts that a round can read. */
type PartName = 'account' | 'before' | 'month' | 'groups' | 'resources';

/** Holds the spend of the current connection for the selection. Polls while the view is visible and the window is not over. */
export class BillingStore {
  readonly #clock: Clock;
  readonly #poller: ConnectedPoller;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  #state: BillingState;
  /** The current round. Only its results are shown. */
  #round: ConnectedPlatform | undefined;
  /** Query of the value of `before`, as text. */
  #beforeQuery: string | undefined;
  /** Whether the next round reads every part, whatever its age. */
  #readAll = false;

  /** @param selection initial selection, such as the one before a reload */
  constructor(connections: Connected, clock: Clock, selection = DEFAULT_SELECTION) {
    this.#clock = clock;
    this.#state = { selection, problem: problemOf(selection), ...OF_CONNECTION, resources: NOTHING };
    this.#poller = new ConnectedPoller({
      connections,
      clock,
      poll: (platform) => this.#poll(platform),
      interval: () => this.#interval(),
      onConnection: () => this.#forgetConnection(),
    });
  }

  get state(): BillingState {
    return this.#state;
  }

  /** Time of the service, in ms since the epoch. Equals the time of this machine until the service has answered. */
  get now(): number {
    const { month, account, selection } = this.#state;
    const endsNow = selection.period !== 'custom' && selection.period !== 'lastMonth';
    // The account comes last, because it is read most often.
    return [month.value, endsNow ? account.value : undefined].reduce(
      (time, response) => (response ? serviceNow(lastBucket(response), time) : time),
      this.#clock.now(),
    );
  }

  /** Sets whether the view is visible. */
  setVisible(visible: boolean): void {
    this.#poller.setVisible(visible);
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  /** Changes the selection. An invalid one is kept with its problem, and the previous spend stays visible. */
  select(change: Partial<BillingSelection>): void {
    const before = this.#state.selection;
    const times = change.period === 'custom' ? { start: undefined, end: undefined } : {};
    const next = completed({ ...before, ...times, ...change }, before, this.#shownWindow());
    if (JSON.stringify(next) === JSON.stringify(before)) {
      // The page shows its own values until it receives these.
      this.#changed.fire();
      return;
    }
    const problem = problemOf(next);
    const sameWindow = windowKey(next) === windowKey(before);
    this.#round = undefined;
    this.#set({
      selection: next,
      problem,
      ...(problem || sameWindow ? {} : { account: NOTHING, before: NOTHING, groups: NOTHING }),
      ...(next.grouping === before.grouping ? {} : { groups: NOTHING, resources: NOTHING }),
    });
    this.#poller.restart();
  }

  /** Reads everything now. */
  refresh(): void {
    this.#readAll = true;
    this.#poller.wake();
  }

  dispose(): void {
    this.#poller.dispose();
    this.#changed.dispose();
  }

  #shownWindow() {
    const query = this.#state.account.value?.metadata.query;
    return query && { start: millisecondsOf(query.startTime), end: millisecondsOf(query.endTime) };
  }

  /** Discards the data of the previous connection. */
  #forgetConnection(): void {
    this.#round = undefined;
    this.#beforeQuery = undefined;
    this.#set({ ...OF_CONNECTION, resources: NOTHING });
  }

  /** Returns the pause after a round, in ms. Undefined for a window that is over, because it does not change, and for a very large report. */
  #interval(): number | undefined {
    const { account, groups, problem, selection } = this.#state;
    if (problem) return undefined;
    const failed = account.error ?? (selection.grouping === 'kind' ? undefined : groups.error);
    if (failed) return Math.max(INTERVAL_MS, failed.retryAfterMs ?? 0);
    const response = account.value;
    if (!response || millisecondsOf(response.metadata.query.endTime) <= this.now) return undefined;
    // A larger response takes seconds to read, so only a refresh repeats it.
    if (response.records.length > MAX_SHOWN_BUCKETS) return undefined;
    return response.records.length > MANY_BUCKETS ? LONG_INTERVAL_MS : INTERVAL_MS;
  }

  async #poll(round: ConnectedPlatform): Promise<void> {
    this.#round = round;
    const { selection, problem } = this.#state;
    if (problem) return;
    const all = this.#readAll;
    this.#readAll = false;
    this.#set({ busy: true });
    const { client } = round;
    const options = optionsOf(round);
    const due = (part: Part<unknown>) =>
      all || !part.value || this.#clock.now() - (part.readAt ?? -Infinity) >= SLOW_MS;
    const { grouping } = selection;

    // The time of the service decides which window a period means, and which buckets are over.
    const month = due(this.#state.month) ? this.#read(round, 'month', readMonth(client, options)) : undefined;
    if (countOf(selection) === undefined) await month;
    const query = queryOf(selection, this.now);
    await Promise.all([
      this.#read(
        round,
        'account',
        readAccount(client, query, options).then((report) => inBars(report, selection)),
      ).then(() => this.#readBefore(round, month)),
      month,
      ...(grouping === 'kind'
        ? []
        : [
            this.#read(
              round,
              'groups',
              readGroups(client, grouping, query, options).then(
                (one) => ({ ...one, report: inBars(one.report, selection) }) as GroupReport,
              ),
            ),
            ...(due(this.#state.resources)
              ? [this.#read(round, 'resources', readResources(client, grouping, options))]
              : []),
          ]),
    ]);
    if (this.#round === round) this.#set({ busy: false });
  }

  /** Reads the window before, unless it is known already. */
  async #readBefore(round: ConnectedPlatform, month: Promise<void> | undefined): Promise<void> {
    await month;
    const { account, before } = this.#state;
    if (this.#round !== round || !account.value || account.error) return;
    const query: BillingQuery | undefined = queryBefore(account.value.metadata.query, this.now);
    const key = JSON.stringify(query);
    if (key === this.#beforeQuery && before.value) return;
    this.#beforeQuery = key;
    if (query) await this.#read(round, 'before', readAccount(round.client, query, optionsOf(round)));
    else this.#set({ before: NOTHING });
  }

  /** Stores the result of a request, unless its round is no longer the current one. */
  async #read<Name extends PartName>(
    round: ConnectedPlatform,
    name: Name,
    request: Promise<NonNullable<BillingState[Name]['value']>>,
  ): Promise<void> {
    let part: Part<unknown>;
    try {
      part = { value: await request, readAt: this.#clock.now() };
    } catch (error) {
      part = { ...this.#state[name], error: error as ApiError };
    }
    if (this.#round === round && !round.signal.aborted) this.#set({ [name]: part });
  }

  #set(change: Partial<BillingState>): void {
    this.#state = { ...this.#state, ...change };
    this.#changed.fire();
  }
}

/** A rate limit is shown at once. The next round starts after the time that the service demands. */
function optionsOf({ signal }: ConnectedPlatform): CallOptions {
  return { signal, waits: 0 };
}

/** Returns the last bucket of a response to a query that ends now. */
function lastBucket({ metadata: { query } }: BillingResponse) {
  const start = addBuckets(millisecondsOf(query.endTime), query.bucketSize, -1);
  return { startTime: new Date(start).toISOString(), endTime: query.endTime };
}

/** Identifies the window of a selection. */
function windowKey({ period, bucketSize, count, start, end }: BillingSelection): string {
  return JSON.stringify(
    period === 'custom'
      ? [period, bucketSize, start, end]
      : [period, bucketSize, ...(period === 'last' ? [count] : [])],
  );
}
