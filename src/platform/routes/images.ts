import { Refusal } from '../domain/refusal.ts';
import type { Serve } from '../http/app.ts';
import { imagePath } from '../images/imageAddress.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';

/**
 * Edited images (interface document, Endpoints 6). No row of the table: clients follow the address in a job's output. Asked for
 * without a key, as an editor and a browser show images.
 */
export function imageRoutes(app: App, { images, clock }: Services): void {
  const serve: Serve<unknown> = (exchange) => {
    const { name = '' } = exchange.parameters;
    const image = images.image(name);
    if (!image) throw new Refusal(404, 'no such image, or its 7 days are over');
    const headers = {
      'Content-Type': image.contentType,
      // The name stands for the same bytes for as long as it works, and is a secret of who asked for the edit.
      'Cache-Control': `private, max-age=${Math.floor((image.expiresAt - clock.now()) / 1000)}, immutable`,
      ETag: `"${name}"`,
      'Last-Modified': new Date(image.createdAt).toUTCString(),
      'X-Content-Type-Options': 'nosniff',
    };
    if (exchange.header('If-None-Match') === headers.ETag) return { status: 304, headers };
    return { status: 200, headers, body: image.bytes };
  };
  app.on('GET', imagePath('{name}'), serve, { open: true });
}
