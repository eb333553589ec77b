/** Maximum size of a response body, and of all pages of a list together: twice the largest documented result. */
export const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/** Bytes left for a group of responses, such as the pages of a list. Each response subtracts its own size. */
export interface ByteBudget {
  left: number;
}

/** Reason for an incomplete or invalid body. */
export type BodyFault = 'cut' | 'tooLarge' | 'notUtf8';

export interface Body {
  /** Text of the body. With a fault, the text that was received. */
  readonly text: string;
  readonly fault?: BodyFault;
}

const strict = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body as text, up to a size limit in bytes.
 *
 * @throws the abort reason of the signal
 */
export async function readBody(response: Response, signal: AbortSignal, limit = BODY_LIMIT_BYTES): Promise<Body> {
  const { bytes, fault } = await readBytes(response, signal, limit);
  if (fault) return { text: new TextDecoder().decode(bytes), fault };
  try {
    return { text: strict.decode(bytes) };
  } catch {
    return { text: new TextDecoder().decode(bytes), fault: 'notUtf8' };
  }
}

/** Reads the bytes of a body. With a fault, returns the bytes before the fault. @throws the abort reason of the signal */
export async function readBytes(
  response: Response,
  signal: AbortSignal,
  limit = BODY_LIMIT_BYTES,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly fault?: 'cut' | 'tooLarge' }> {
  const { headers } = response;
  const body: ReadableStream<Uint8Array> | null = response.body;
  const announced = headers.get('Content-Encoding') === null ? headers.get('Content-Length') : null;
  if (announced !== null && Number(announced) > limit) {
    await body?.cancel();
    return { bytes: new Uint8Array(), fault: 'tooLarge' };
  }
  try {
    // Reading in one piece is faster, and safe for a known length within the limit.
    if (announced !== null) return { bytes: new Uint8Array(await response.arrayBuffer()) };
  } catch (failure) {
    if (signal.aborted) throw failure;
    return { bytes: new Uint8Array(), fault: 'cut' };
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  try {
    for (;;) {
      const chunk = (await reader?.read())?.value;
      if (chunk === undefined) return { bytes: joined(chunks) };
      length += chunk.length;
      if (length > limit) {
        void reader?.cancel();
        return { bytes: joined(chunks), fault: 'tooLarge' };
      }
      chunks.push(chunk);
    }
  } catch (failure) {
    if (signal.aborted) throw failure;
    return { bytes: joined(chunks), fault: 'cut' };
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
