import type { Subscription } from '../../kit/emitter.ts';
import type { EndpointNode } from './endpointNode.ts';

type Show = (node: EndpointNode) => Promise<void>;

/** Selects rows of the endpoints view on behalf of other features, which do not have the view. */
export class EndpointReveal {
  #show: Show | undefined;

  /** Sets the function that selects a row. Called by the view. */
  attach(show: Show): Subscription {
    this.#show = show;
    return {
      dispose: () => {
        this.#show = undefined;
      },
    };
  }

  /** Shows the endpoints view and selects a row, which must be one of its rows. */
  async reveal(node: EndpointNode): Promise<void> {
    await this.#show?.(node);
  }
}
