import { Refusal } from '../domain/refusal.ts';
import type { Exchange } from './exchange.ts';

/**
 * The body as text, read from Node's own stream: a web stream around it costs more than the rest of a small request.
 *
 * @throws Refusal 413, or the given status, when it is larger than that many bytes; no more than that is ever held
 */
export function readBody({ incoming }: Exchange, maxBytes: number, tooLarge: 400 | 413 = 413): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = (): void => reject(new Refusal(tooLarge, `the body is larger than ${maxBytes} bytes`));
    if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
      refuse();
      return;
    }
    const onData = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes <= maxBytes) return;
      // The server throws away what is still to come once it has answered.
      incoming.off('data', onData).pause();
      chunks.length = 0;
      refuse();
    };
    incoming.on('data', onData);
    incoming.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    incoming.once('error', () => reject(new Refusal(400, 'the request was cut off')));
  });
}
