/**
 * Opens the worker protocol to workers that cannot reach the loopback interface, such as containers. Such a listener serves the worker
 * protocol only, so the rest of the platform stays closed to other machines.
 */
export interface WorkerGate {
  /**
   * Listens on an address of this machine, such as the one of a bridge. Further calls with the same address share the listener, which stays
   * open until the platform stops.
   *
   * @returns the URL of the worker protocol at that address, such as `http://172.17.0.1:41234/worker/v2`
   * @throws StartError if this machine does not have the address
   */
  open(address: string): Promise<string>;
}
