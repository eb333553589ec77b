import { KeyedState, type StateStorage } from '../../kit/keyedState.ts';
import { number, object, oneOf, type ValueOf } from '../../kit/smallSchema.ts';
import { LoadReport } from './model/report.ts';

/** Most reports that are stored for each connection. */
const MAX_REPORTS = 30;
const MAX_ENDPOINTS = 100;

const Settings = object(
  { rate: number, rampTo: number, seconds: number, arrivals: oneOf('constant', 'poisson') },
  { cap: number },
);

/** Answers to the questions before a load test. Times are in seconds, and the cap is in USD. */
export type LoadSettings = ValueOf<typeof Settings>;

/** Stores the reports of the load tests of this editor, and the last answers for each endpoint. */
export class LoadStore {
  readonly #reports: KeyedState<LoadReport>;
  readonly #settings: KeyedState<LoadSettings>;

  constructor(storage: StateStorage) {
    this.#reports = new KeyedState(storage, { name: 'load.reports', schema: LoadReport, max: MAX_REPORTS });
    this.#settings = new KeyedState(storage, { name: 'load.settings', schema: Settings, max: MAX_ENDPOINTS });
  }

  /** Returns the reports of an endpoint, the latest one first. */
  reports(connectionId: string, endpointId: string): LoadReport[] {
    return [...this.#reports.entries(connectionId).values()]
      .filter(({ endpoint }) => endpoint.id === endpointId)
      .toReversed();
  }

  async add(connectionId: string, report: LoadReport): Promise<void> {
    await this.#reports.put(connectionId, `${report.endpoint.id}/${report.startedAt}`, report);
  }

  settings(connectionId: string, endpointId: string): LoadSettings | undefined {
    return this.#settings.get(connectionId, endpointId);
  }

  async keep(connectionId: string, endpointId: string, settings: LoadSettings): Promise<void> {
    await this.#settings.put(connectionId, endpointId, settings);
  }
}
