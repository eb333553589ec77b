import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { send, type Answer } from './answer.ts';
import { Exchange } from './exchange.ts';
import { PathTree } from './pathTree.ts';

export type Serve<Admission> = (exchange: Exchange, admission: Admission) => Answer | Promise<Answer>;

interface Route<Admission> {
  readonly serve: Serve<Admission>;
  /** Whether the route needs no authentication. */
  readonly open: boolean;
}

/** Hooks around the routes. */
export interface Hooks<Admission> {
  /** Admits the request, or throws. @param open true if the route needs no authentication; false if there is no route */
  readonly before: (exchange: Exchange, open: boolean) => Admission | Promise<Admission>;
  /** Runs after the route has returned and before its answer is sent. */
  readonly after?: (exchange: Exchange) => void | Promise<void>;
  /** @param allowed methods of the path; empty if there is no such path */
  readonly unmatched: (exchange: Exchange, allowed: readonly string[]) => Answer;
  /** Returns the answer for an error of a route, of another hook, or of the sent stream. */
  readonly onError: (exchange: Exchange, error: unknown) => Answer;
}

/** Routes requests by method and path, on Node's own objects. The `before` hook admits or rejects each request. */
export class App<Admission> {
  readonly #routes = new PathTree<Route<Admission>>();

  /** Adds a route. A GET route also answers HEAD, without the body. @param template path with `{name}` for each parameter */
  on(
    method: string,
    template: string,
    serve: Serve<Admission>,
    { open = false }: { readonly open?: boolean } = {},
  ): void {
    this.#routes.add(method, template, { serve, open });
  }

  listener(around: Hooks<Admission>): RequestListener {
    return (incoming, outgoing) => void this.#respond(incoming, outgoing, around);
  }

  async #respond(incoming: IncomingMessage, outgoing: ServerResponse, around: Hooks<Admission>): Promise<void> {
    const exchange = new Exchange(incoming, outgoing);
    let answer: Answer;
    try {
      answer = await this.#answer(exchange, around);
    } catch (error) {
      answer = around.onError(exchange, error);
    }
    await send(exchange, answer).catch((error: unknown) => {
      // Reports the error, but discards the answer for it, because part of the first answer may have been sent.
      around.onError(exchange, error);
      if (answer.body instanceof Readable) answer.body.destroy();
      outgoing.destroy();
    });
  }

  async #answer(exchange: Exchange, { before, after, unmatched }: Hooks<Admission>): Promise<Answer> {
    const { method, path } = exchange;
    const match = this.#routes.find(method === 'HEAD' ? 'GET' : method, path);
    const admitted = before(exchange, match?.value.open ?? false);
    const admission = admitted instanceof Promise ? await admitted : admitted;
    if (!match) return unmatched(exchange, this.#routes.methods(path));
    exchange.parameters = match.parameters;
    const answer = await match.value.serve(exchange, admission);
    await after?.(exchange);
    return answer;
  }
}
