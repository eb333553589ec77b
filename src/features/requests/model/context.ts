/** An endpoint that requests can name. */
export interface RouteEndpoint {
  readonly id: string;
  readonly name: string;
  readonly type: 'QUEUE' | 'LOAD_BALANCER';
  /** Base address, without a slash at its end. The key of the connection is sent only below it. */
  readonly base: string;
}

/** Values on which the resolution of variables depends. */
export interface ResolveContext {
  /** Endpoints of the current connection. Undefined if they have not been read. */
  readonly endpoints: readonly RouteEndpoint[] | undefined;
  /** Name or ID of the endpoint of requests that name none, unless the file defines `@endpoint`. */
  readonly defaultEndpoint?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number;
}
