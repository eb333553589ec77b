import { PassThrough, Writable, type Readable } from 'node:stream';

/** The output of a program, as an engine delivers it. */
export class ExecOutputs {
  readonly #stdout = newOutput();
  readonly #stderr = newOutput();

  get stdout(): Readable {
    return this.#stdout;
  }

  get stderr(): Readable {
    return this.#stderr;
  }

  /** Resolves once there is room for more. */
  async write(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> {
    const output = stream === 'stdout' ? this.#stdout : this.#stderr;
    // A reader that has gone must not stop the other stream.
    if (output.destroyed || bytes.length === 0 || output.write(bytes)) return;
    const room = Promise.withResolvers<void>();
    output.once('drain', room.resolve).once('close', room.resolve);
    await room.promise;
    output.off('drain', room.resolve).off('close', room.resolve);
  }

  end(): void {
    this.#stdout.end();
    this.#stderr.end();
  }

  /** Ends the streams with an error, in place of the rest of the output. */
  fail(error: Error): void {
    this.#stdout.destroy(error);
    this.#stderr.destroy(error);
  }
}

/** `exited` reports the end to a reader that does not listen for errors. */
const ignore = (): void => undefined;

function newOutput(): PassThrough {
  return new PassThrough().on('error', ignore);
}

/** Sends the standard input of a program. @param send calls back once there is room for more */
export function execInput(
  send: (bytes: Buffer, callback: (error?: Error | null) => void) => void,
  end: (callback: (error?: Error | null) => void) => void,
): Writable {
  return new Writable({ write: (bytes: Buffer, _, callback) => send(bytes, callback), final: end }).on('error', ignore);
}

/** End of the input of a program with a terminal: Ctrl+D. */
export const END_OF_INPUT = Buffer.from([4]);

/** Returns the reason of an aborted signal as an error. */
export function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('the program was ended');
}
