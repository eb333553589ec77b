import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError, type WorkerGate } from '../../src/platform/runtimes/runtime.ts';
import { afterwards } from '../platform/support.ts';

export interface TestGate extends WorkerGate {
  /** Paths of the requests that arrived. */
  readonly paths: readonly string[];
}

/** Opens a gate that answers every request. `cleanUp` closes it. */
export function testGate(): TestGate {
  const paths: string[] = [];
  const opened = new Map<string, Promise<string>>();
  const open = async (address: string): Promise<string> => {
    const server = http.createServer((incoming, response) => {
      paths.push(incoming.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) => {
        opened.delete(address);
        reject(new StartError(cause.message, { cause }));
      });
      server.listen(0, address, resolve);
    });
    afterwards(async () => {
      opened.delete(address);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://${address}:${(server.address() as AddressInfo).port}/worker/v2`;
  };
  return {
    paths,
    open: (address) => {
      const url = opened.get(address) ?? open(address);
      opened.set(address, url);
      return url;
    },
  };
}
