import { request, type IncomingMessage } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { refuseUpgrade, responseHead } from './answer.ts';
import { answerHeaders } from './headers.ts';
import { badGateway } from './refusals.ts';

export interface UpgradeOptions {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  /** What the caller has sent after its headers already. */
  readonly head: Buffer;
  /** For the worker, as a flat list, without those of the upgrade. */
  readonly headers: readonly string[];
  readonly path: string;
  readonly workerId: string;
  readonly port: number;
  /** The worker has agreed. */
  readonly onUpgraded: () => void;
  /** Called once, when the connection is over. */
  readonly onEnd: () => void;
}

/**
 * A connection that becomes a WebSocket: the worker says whether, and after that bytes go both ways until one side ends. Without a time
 * limit, for it is a conversation and no request.
 */
export function forwardUpgrade(options: UpgradeOptions): void {
  const { incoming, socket, head, headers, path, workerId, port, onUpgraded, onEnd } = options;
  const { method, headers: asked } = incoming;
  const protocol = ['Connection', 'Upgrade', 'Upgrade', asked.upgrade ?? ''];
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers: [...headers, ...protocol], agent: false });
  socket.once('close', () => {
    outgoing.destroy();
    onEnd();
  });
  // What is to be known of its failure, 'close' tells.
  socket.on('error', () => undefined);
  outgoing.on('upgrade', (answer, upstream, rest) => {
    socket.off('end', destroyAtEnd);
    onUpgraded();
    const fields = [...answerHeaders(answer.rawHeaders, workerId), 'Connection', 'Upgrade'];
    fields.push('Upgrade', answer.headers.upgrade ?? '');
    socket.write(responseHead(101, answer.statusMessage ?? '', fields));
    socket.write(rest);
    upstream.write(head);
    tie(socket, upstream);
    tie(upstream, socket);
  });
  outgoing.on('response', (answer) => {
    const fields = answerHeaders(answer.rawHeaders, workerId);
    socket.write(responseHead(answer.statusCode ?? 0, answer.statusMessage ?? '', fields));
    pipeline(answer, socket, () => undefined);
  });
  outgoing.on('error', (error) => {
    if (!socket.writableEnded) refuseUpgrade(socket, badGateway(error, port));
  });
  outgoing.end();
}

/**
 * To be called at the end of what a caller sends who has not been upgraded yet: it has hung up. Node leaves its connection to us, and would
 * keep it half open.
 */
export function destroyAtEnd(this: Duplex): void {
  this.destroy();
}

/** Hands on what one side sends, and its end; when it breaks, so does the other. */
function tie(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('error', () => undefined);
  from.once('close', () => {
    if (from.readableEnded) to.end(() => to.destroy());
    else to.destroy();
  });
}
