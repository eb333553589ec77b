import * as z from 'zod';

/* What worker SDKs write as a job's `error` (facts beside the interface: worker protocol, section 5). */

/** A job's error, taken apart. */
export interface WorkerError {
  /** Name of the exception's class with its module, such as `torch.cuda.OutOfMemoryError`. */
  readonly type?: string;
  readonly message: string;
  /** As the worker's language writes it. */
  readonly traceback?: string;
}

/** An exception of a handler: JSON in a text. */
const SdkException = z.looseObject({
  error_type: z.string().optional().catch(undefined),
  error_message: z.string(),
  error_traceback: z.string().optional().catch(undefined),
});

/** An exception of a generator: `handler: … \ntraceback: …`. */
const GENERATOR = /^handler: (.*?)\s*\n\s*traceback: ?(.*)$/s;

/**
 * Takes a job's `error` apart. A text that no worker SDK writes is the message as it is; undefined when there is no reason in it.
 */
export function parseWorkerError(error: unknown): WorkerError | undefined {
  const text = typeof error === 'string' ? error : JSON.stringify(error ?? '');
  if (text === '' || text === '""') return undefined;
  const exception = SdkException.safeParse(typeof error === 'object' ? error : parsed(text));
  if (exception.success) {
    const { error_type: type, error_message: message, error_traceback: traceback } = exception.data;
    return workerError(className(type), message, traceback);
  }
  const generator = GENERATOR.exec(text);
  if (generator) return workerError(undefined, generator[1] ?? '', generator[2]);
  return { message: text.replace(/^handler: /, '') };
}

function workerError(type: string | undefined, message: string, traceback: string | undefined): WorkerError {
  return { ...(type === undefined ? {} : { type }), message, ...(traceback ? { traceback } : {}) };
}

/** Python writes a class as `<class 'module.Name'>`. */
function className(type: string | undefined): string | undefined {
  return type === undefined ? undefined : /([\w.]+?)(?:'>)?$/.exec(type)?.[1];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
