import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { send, type Answer } from './answer.ts';
import { Exchange } from './exchange.ts';
import { PathTree } from './pathTree.ts';

export type Serve<Admission> = (exchange: Exchange, admission: Admission) => Answer | Promise<Answer>;

interface Route<Admission> {
  readonly serve: Serve<Admission>;
  /** Whoever asks. */
  readonly open: boolean;
}

/** What comes before and after the routes. All may be asynchronous, and what they throw is answered. */
export interface Around<Admission> {
  /** Lets the request pass, or throws. @param open the route is for everyone; false where there is none */
  readonly before: (exchange: Exchange, open: boolean) => Admission | Promise<Admission>;
  /** Done before what the route has answered is sent. */
  readonly after?: (exchange: Exchange) => void | Promise<void>;
  /** @param allowed the methods that there are at the path; none: there is no such path */
  readonly notServed: (exchange: Exchange, allowed: readonly string[]) => Answer;
  /** What is answered when something was thrown. */
  readonly failed: (exchange: Exchange, error: unknown) => Answer;
}

/** Routes by method and path, served on Node's own objects to those whom `before` admits. */
export class App<Admission> {
  readonly #routes = new PathTree<Route<Admission>>();

  /** @param template as the contract writes paths. A GET is HEAD's too, without its body */
  on(
    method: string,
    template: string,
    serve: Serve<Admission>,
    { open = false }: { readonly open?: boolean } = {},
  ): void {
    this.#routes.add(method, template, { serve, open });
  }

  listener(around: Around<Admission>): RequestListener {
    return (incoming, outgoing) => void this.#respond(incoming, outgoing, around);
  }

  async #respond(incoming: IncomingMessage, outgoing: ServerResponse, around: Around<Admission>): Promise<void> {
    const exchange = new Exchange(incoming, outgoing);
    let answer: Answer;
    try {
      answer = await this.#answer(exchange, around);
    } catch (error) {
      answer = around.failed(exchange, error);
    }
    await send(exchange, answer).catch((error: unknown) => {
      // Told as every failure is; but half an answer may have been sent, and another cannot follow it.
      around.failed(exchange, error);
      if (answer.body instanceof Readable) answer.body.destroy();
      outgoing.destroy();
    });
  }

  async #answer(exchange: Exchange, { before, after, notServed }: Around<Admission>): Promise<Answer> {
    const { method, path } = exchange;
    const match = this.#routes.find(method === 'HEAD' ? 'GET' : method, path);
    const admitted = before(exchange, match?.value.open ?? false);
    const admission = admitted instanceof Promise ? await admitted : admitted;
    if (!match) return notServed(exchange, this.#routes.methods(path));
    exchange.parameters = match.parameters;
    const answer = await match.value.serve(exchange, admission);
    await after?.(exchange);
    return answer;
  }
}
