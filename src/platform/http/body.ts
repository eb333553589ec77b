import { LARGE_BYTES, largeBuffer } from '../domain/largeJson.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Exchange } from './exchange.ts';

/** Reads the body as text. @throws Refusal as `readBytes` does */
export async function readBody(exchange: Exchange, maxBytes: number, tooLarge: 400 | 413 = 413): Promise<string> {
  return (await readBytes(exchange, maxBytes, tooLarge)).toString('utf8');
}

/**
 * Reads the body from Node's own stream. A web stream would cost more than the rest of a small request.
 *
 * @throws Refusal 413, or the status `tooLarge`, for a body of more than `maxBytes` bytes. Such a body is never in memory as a whole.
 */
export function readBytes({ incoming }: Exchange, maxBytes: number, tooLarge: 400 | 413 = 413): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = (): void => reject(new Refusal(tooLarge, `the body is larger than ${maxBytes} bytes`));
    const declared = Number(incoming.headers['content-length'] ?? 0);
    if (declared > maxBytes) {
      refuse();
      return;
    }
    // A large body is written into one buffer as it arrives, because its chunks would stay in memory until a garbage collection.
    const large = declared >= LARGE_BYTES ? largeBuffer(declared) : undefined;
    const onData = (chunk: Buffer): void => {
      const { byteLength } = chunk;
      if (large) {
        chunk.copy(large, bytes);
        // Frees the memory now. Node.js has copied the chunk into a buffer of its own.
        if (byteLength === chunk.buffer.byteLength) (chunk.buffer as ArrayBuffer).transfer(0);
      } else chunks.push(chunk);
      bytes += byteLength;
      if (bytes <= maxBytes) return;
      // The server discards the rest of the body after its response.
      incoming.off('data', onData).pause();
      chunks.length = 0;
      refuse();
    };
    incoming.on('data', onData);
    incoming.once('end', () => resolve(large ?? Buffer.concat(chunks)));
    incoming.once('error', () => reject(new Refusal(400, 'the connection closed before the end of the body')));
  });
}
