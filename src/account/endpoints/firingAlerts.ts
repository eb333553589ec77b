import type { ShownText } from '../../text/shownText.ts';

/** Conditions of manifests that hold on endpoints of the current connection, each as a sentence. */
export class FiringAlerts {
  #sentences: ReadonlyMap<string, readonly ShownText[]> = new Map();

  /** Returns the sentences about an endpoint. */
  of(endpointId: string): readonly ShownText[] {
    return this.#sentences.get(endpointId) ?? [];
  }

  /** Replaces all sentences. @param sentences by endpoint ID, each list with at least one */
  replace(sentences: ReadonlyMap<string, readonly ShownText[]>): void {
    this.#sentences = sentences;
  }
}
