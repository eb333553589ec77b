import { request, type IncomingMessage } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import type { HeaderFields } from '../accounts/rateLimits.ts';
import type { Address } from '../runtimes/runtime.ts';
import type { Clock } from '../time/clock.ts';
import { checkStatusLine, refuseUpgrade, responseHead } from './answer.ts';
import { answerHeaders } from './headers.ts';
import { badGateway, timeLimit, type BalancerRefusal } from './refusals.ts';

export interface UpgradeOptions {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that the caller has already sent after its headers. */
  readonly head: Buffer;
  /** Headers for the worker, as a flat list without the upgrade headers. */
  readonly headers: readonly string[];
  readonly path: string;
  readonly workerId: string;
  readonly address: Address;
  /** Maximum time for the worker to accept or refuse the upgrade, in ms. */
  readonly limitMs: number;
  readonly clock: Clock;
  /** Headers added to the response, from the worker or from the balancer. */
  readonly ourHeaders: HeaderFields | undefined;
  /** Called when the worker has responded, with its status. */
  readonly onResponded?: ((status: number) => void) | undefined;
  /** Called when the worker accepts the upgrade. */
  readonly onUpgraded: () => void;
  /** Called once, when the connection ends. @param failure reason that the worker did not respond */
  readonly onEnd: (failure?: BalancerRefusal) => void;
}

/**
 * Forwards a WebSocket upgrade. The worker must accept or refuse it within the time limit of requests. After that, bytes flow both ways
 * until one side ends.
 */
export function forwardUpgrade(options: UpgradeOptions): void {
  const { incoming, socket, head, headers, path, workerId, address, ourHeaders, limitMs, clock } = options;
  const { method, headers: asked } = incoming;
  const protocol = ['Connection', 'Upgrade', 'Upgrade', asked.upgrade ?? ''];
  const outgoing = request({ ...address, method, path, headers: [...headers, ...protocol], agent: false });
  let failure: BalancerRefusal | undefined;
  let responseStarted = false;
  const refuse = (refusal: BalancerRefusal): void => {
    // A refusal cannot replace a response that has started.
    if (responseStarted || socket.writableEnded) return;
    failure = refusal;
    refuseUpgrade(socket, refusal, ourHeaders);
    outgoing.destroy();
  };
  const cancelLimit = clock.after(limitMs, () => refuse(timeLimit(limitMs)));
  socket.once('close', () => {
    cancelLimit();
    outgoing.destroy();
    options.onEnd(failure);
  });
  // The 'close' handler covers errors.
  socket.on('error', () => undefined);

  /** Forwards the head of the worker's response. @returns whether the head was valid */
  const forwardHead = (answer: IncomingMessage, protocolFields: readonly string[]): boolean => {
    cancelLimit();
    const { statusCode = 0, statusMessage = '', rawHeaders } = answer;
    try {
      checkStatusLine(statusCode, statusMessage, { upgraded: protocolFields.length > 0 });
    } catch (error) {
      answer.destroy();
      refuse(error as BalancerRefusal);
      return false;
    }
    const fields = [...answerHeaders(rawHeaders, workerId, ourHeaders), ...protocolFields];
    responseStarted = true;
    options.onResponded?.(statusCode);
    socket.write(responseHead(statusCode, statusMessage, fields));
    return true;
  };

  outgoing.on('upgrade', (answer, upstream, rest) => {
    if (!forwardHead(answer, ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? ''])) {
      upstream.destroy();
      return;
    }
    socket.off('end', destroyAtEnd);
    options.onUpgraded();
    socket.write(rest);
    upstream.write(head);
    forward(socket, upstream);
    forward(upstream, socket);
  });
  outgoing.on('response', (answer) => {
    if (forwardHead(answer, [])) pipeline(answer, socket, () => undefined);
  });
  outgoing.on('error', (error) => refuse(badGateway(error, address.port)));
  outgoing.end();
}

/**
 * Listener for the 'end' event of a connection before its upgrade: the caller has disconnected. Node.js does not manage such a connection
 * and would keep it half open.
 */
export function destroyAtEnd(this: Duplex): void {
  this.destroy();
}

/** Forwards the data and the end of one side to the other. An error on one side destroys the other. */
function forward(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('error', () => undefined);
  from.once('close', () => {
    if (from.readableEnded) to.end(() => to.destroy());
    else to.destroy();
  });
}
