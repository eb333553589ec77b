import { HOSTED_VARIABLES } from '../../account/connections/model/hostedVariables.ts';
import type { Connection } from '../../client/connection.ts';

/* How programs tell the MCP server its platform. */

export type HostedEnvironment = Partial<Record<(typeof HOSTED_VARIABLES)[keyof Connection], string>>;

/** Returns the environment variables of a hosted platform, without the key. */
export function hostedEnvironment(connection: Connection): HostedEnvironment {
  const { baseUrl, restUrl, queueUrl, endpointHost, teamId } = HOSTED_VARIABLES;
  return {
    [baseUrl]: connection.baseUrl,
    [restUrl]: connection.restUrl,
    [queueUrl]: connection.queueUrl,
    [endpointHost]: connection.endpointHost,
    ...(connection.teamId !== undefined && { [teamId]: connection.teamId }),
  };
}
