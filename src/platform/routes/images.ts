import { Refusal } from '../domain/refusal.ts';
import type { Serve } from '../http/app.ts';
import { IMAGES_PATH } from '../images/imageAddress.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';

/**
 * Routes for edited images. The operation table has no row for them, because clients follow the URL in a job's output. They need no key,
 * so that editors and browsers can show the images.
 */
export function imageRoutes(app: App, { images, clock }: Services): void {
  const serve: Serve<unknown> = (exchange) => {
    const { name = '' } = exchange.parameters;
    const image = images.image(name);
    if (!image) throw new Refusal(404, 'no such image, or it has expired; images are available for 7 days');
    const headers = {
      'Content-Type': image.contentType,
      // The bytes under a name never change. The cache is private, because the name is a secret.
      'Cache-Control': `private, max-age=${Math.floor((image.expiresAt - clock.now()) / 1000)}, immutable`,
      ETag: `"${name}"`,
      'Last-Modified': new Date(image.createdAt).toUTCString(),
      'X-Content-Type-Options': 'nosniff',
    };
    if (exchange.header('If-None-Match') === headers.ETag) return { status: 304, headers };
    return { status: 200, headers, body: image.bytes };
  };
  app.on('GET', `${IMAGES_PATH}{name}`, serve, { open: true });
}
