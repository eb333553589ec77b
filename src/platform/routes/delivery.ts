import type { Socket } from 'node:net';
import type { Exchange } from '../http/exchange.ts';
import type { Delivery } from '../queue/deliveries.ts';

/** Ends the last delivery on a connection as arrived. Set from the end of its response until the next response or the connection's end. */
const provers = new WeakMap<Socket, () => void>();

/**
 * Ends a delivery with its response. Neither a response that was not sent completely nor one whose caller resets the connection has arrived.
 * The next response on the connection, or its regular end, shows that the response has arrived.
 */
export function deliver({ incoming: { socket, method }, outgoing }: Exchange, delivery: Delivery): void {
  provers.get(socket)?.();
  if (method === 'HEAD' || outgoing.closed) {
    delivery.returned();
    return;
  }
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) {
      delivery.returned();
      return;
    }
    delivery.sent();
    const settle = (): void => {
      socket.off('error', settle).off('close', settle);
      provers.delete(socket);
      if (socket.errored) delivery.returned();
      else delivery.arrived();
    };
    provers.set(socket, settle);
    if (socket.closed) settle();
    else socket.on('error', settle).on('close', settle);
  });
}
