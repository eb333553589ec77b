import { json } from '../http/answer.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';

/**
 * Where tools look for the interface. No row of the table: it tells of the rows, and no client of ours calls it. It holds no secret and
 * is read by tools that have no key.
 */
export const OPENAPI_PATH = '/v2/openapi.json';

/** The interface as an OpenAPI document, with this platform's addresses (facts, section 1). Generated when first asked for. */
export function openApiRoute(app: App, { addresses }: Services): void {
  let document: object | undefined;
  const serve = async () => {
    if (!document) {
      const { openApiDocument } = await import('../../contract/openapi.ts');
      document = openApiDocument({ addresses: addresses() });
    }
    return json(document);
  };
  app.on('GET', OPENAPI_PATH, serve, { open: true });
}
