import type { Client } from '../../../client/client.ts';
import type { SentBody } from '../actions/requestBody.ts';
import type { RouteServices } from '../routeServices.ts';
import type { Exchange } from './exchange.ts';

/** A request that is being sent. */
export interface Sending {
  readonly services: RouteServices;
  readonly client: Client;
  readonly exchange: Exchange;
  readonly body: SentBody;
}
