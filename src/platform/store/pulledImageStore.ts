/**
 * Images that this platform pulled onto its engine, by the engine's ID. Other programs use the same engine, so the platform offers to remove
 * only these images.
 */
export interface PulledImageStore {
  /** Does nothing if the image is known. */
  add(id: string, pulledAt: number): void;
  has(id: string): boolean;
  list(): string[];
  delete(id: string): void;
}
