/** Ports at which workers in containers and pods find the platform, by the address of this machine. */
export interface GatePortStore {
  get(address: string): number | undefined;
  set(address: string, port: number): void;
}
