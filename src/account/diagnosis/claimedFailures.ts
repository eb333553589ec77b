/** Endpoints whose failures are reported elsewhere, such as by a deployment that watches them. */
export class ClaimedFailures {
  readonly #claims = new Map<string, number>();

  has(endpointId: string): boolean {
    return this.#claims.has(endpointId);
  }

  /** Claims the failures of an endpoint. Returns a function that ends the claim. */
  claim(endpointId: string): () => void {
    this.#add(endpointId, 1);
    return () => this.#add(endpointId, -1);
  }

  #add(endpointId: string, number: number): void {
    const claims = (this.#claims.get(endpointId) ?? 0) + number;
    if (claims > 0) this.#claims.set(endpointId, claims);
    else this.#claims.delete(endpointId);
  }
}
