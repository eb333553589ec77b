import { json } from '../http/answer.ts';
import type { Services, App } from './services.ts';

/**
 * Path of the OpenAPI document. The operation table has no row for it, because it describes the table. The document contains no secrets,
 * so tools can read it without a key.
 */
export const OPENAPI_PATH = '/v2/openapi.json';

/** Serves the interface as an OpenAPI document with this platform's addresses. The first request generates it. */
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
