import { Refusal } from '../domain/refusal.ts';

/** Runs the work, and prefixes the errors of its refusal with a path in the seed. */
export function inPart<T>(path: readonly (string | number)[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const where = path.map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`)).join('');
    const errors =
      error.errors.length > 0
        ? error.errors.map((line) => line.replace(/^\$/, `$$${where}`))
        : [`$${where}: ${error.message}`];
    throw new Refusal(error.status, error.message, errors);
  }
}
