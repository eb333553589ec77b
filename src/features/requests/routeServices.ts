import type { AccountServices } from '../../account/accountServices.ts';
import type { ExchangeFiles } from './history/exchangeFiles.ts';
import type { RequestHistoryStore } from './history/requestHistoryStore.ts';
import type { HttpModels } from './language/httpModels.ts';
import type { ExchangeStore } from './send/exchangeStore.ts';

export interface RouteServices extends AccountServices {
  /** Parsed HTTP files, and the resolution of their requests. */
  readonly files: HttpModels;
  /** Requests of this session. */
  readonly exchanges: ExchangeStore;
  /** Requests of earlier sessions too. */
  readonly requests: RequestHistoryStore;
  /** Returns the stored responses of a connection. */
  readonly filesOf: (connectionId: string) => ExchangeFiles;
}
