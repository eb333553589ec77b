import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import type { CreateEndpointBody, UpdateEndpointBody } from '../../contract/endpoint.ts';
import { applyTemplateContainer } from '../../contract/template.ts';

/**
 * A body with what its template gives. The image that makes an endpoint a process can come from there, and the command from the body.
 *
 * @throws ApiError when the template cannot be read; one that does not exist gives nothing, and the platform refuses the body
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
