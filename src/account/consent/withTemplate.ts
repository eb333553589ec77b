import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { CreateEndpointBody, UpdateEndpointBody } from '../../contract/endpoint.ts';
import { applyTemplateContainer } from '../../contract/template.ts';

/**
 * Adds the container settings of a body's template. The `process:` image can come from the template, and the command from the body.
 * Returns the body unchanged when the template does not exist, because the platform rejects such a body.
 *
 * @throws ApiError when the template cannot be read
 */
export async function withTemplate<Body extends CreateEndpointBody | UpdateEndpointBody>(
  client: Pick<Client, 'getTemplate'>,
  body: Body,
): Promise<Body> {
  if (body.templateId === undefined) return body;
  try {
    return applyTemplateContainer(body, await client.getTemplate({ id: body.templateId }));
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return body;
    throw error;
  }
}
