import type { Addresses, Connection } from '../../client/connection.ts';
import { HOSTED_VARIABLES, S3_VARIABLES } from '../../account/connections/model/hostedVariables.ts';
import {
  addressesFrom,
  addressProblem,
  endpointHostFrom,
  endpointHostProblem,
  normalAddress,
  s3AddressProblem,
} from '../../account/connections/model/address.ts';
import { s3AccessOf, type S3Access } from '../../client/s3/s3Connection.ts';

/** A hosted platform of the environment: its connection, or what is wrong with the variables. */
export type HostedSetup = { readonly connection: Connection } | { readonly problem: string };

/**
 * Reads a hosted platform from environment variables. Addresses that are missing are derived from the base URL. Undefined if no variable
 * names an address.
 */
export function hostedSetup(environment: NodeJS.ProcessEnv): HostedSetup | undefined {
  const value = (name: keyof Connection): string | undefined => {
    const text = environment[HOSTED_VARIABLES[name]]?.trim();
    return text === '' ? undefined : text;
  };
  const [baseUrl, restUrl, queueUrl, endpointHost] = (['baseUrl', 'restUrl', 'queueUrl', 'endpointHost'] as const).map(
    value,
  );
  if (baseUrl === undefined) {
    if ((restUrl ?? queueUrl ?? endpointHost) === undefined) return undefined;
    return { problem: `${HOSTED_VARIABLES.baseUrl} is missing. Set it to the address of the management API.` };
  }
  const wrong = addressesProblem({ baseUrl, restUrl, queueUrl, endpointHost });
  if (wrong) return { problem: `${HOSTED_VARIABLES[wrong.name]} is invalid. ${wrong.problem}` };
  const apiKey = value('apiKey');
  if (apiKey === undefined) {
    return { problem: `${HOSTED_VARIABLES.apiKey} is missing. Set it to an API key of the platform.` };
  }
  const addresses = addressesOf({ baseUrl, restUrl, queueUrl, endpointHost });
  return { connection: { ...addresses, apiKey, teamId: value('teamId') } };
}

type GivenAddresses = { readonly [Name in keyof Addresses]: string | undefined };

/** Returns what is wrong with the first invalid address, as a sentence. */
export function addressesProblem(
  given: GivenAddresses,
): { readonly name: keyof Addresses; readonly problem: string } | undefined {
  for (const [name, problemOf] of [
    ['baseUrl', addressProblem],
    ['restUrl', addressProblem],
    ['queueUrl', addressProblem],
    ['endpointHost', endpointHostProblem],
  ] as const) {
    const text = given[name];
    const problem = text === undefined ? undefined : problemOf(text);
    if (problem !== undefined) return { name, problem };
  }
  return undefined;
}

/** Returns the addresses of a platform. Those that are missing are derived from the base URL. */
export function addressesOf({
  baseUrl,
  restUrl,
  queueUrl,
  endpointHost,
}: GivenAddresses & { readonly baseUrl: string }): Addresses {
  const derived = addressesFrom(baseUrl);
  const queue = queueUrl === undefined ? derived.queueUrl : normalAddress(queueUrl);
  return {
    baseUrl: normalAddress(baseUrl),
    restUrl: restUrl === undefined ? derived.restUrl : normalAddress(restUrl),
    queueUrl: queue,
    endpointHost: endpointHost === undefined ? endpointHostFrom(queue) : normalAddress(endpointHost),
  };
}

/** The address and the key for files of volumes: those of the environment, or what is wrong with the variables. */
type S3Setup = { readonly access: S3Access } | { readonly problem: string };

/** Reads the address and the key for the files of the volumes of a hosted platform from environment variables. */
export function s3Setup(environment: NodeJS.ProcessEnv): S3Setup {
  const value = (name: keyof S3Access): string | undefined => {
    const text = environment[S3_VARIABLES[name]]?.trim();
    return text === '' ? undefined : text;
  };
  const [s3Url, s3AccessKeyId, s3SecretAccessKey] = (['s3Url', 's3AccessKeyId', 's3SecretAccessKey'] as const).map(
    value,
  );
  const wrong = s3Url === undefined ? undefined : s3AddressProblem(s3Url);
  if (wrong !== undefined) return { problem: `${S3_VARIABLES.s3Url} is invalid. ${wrong}` };
  const access = s3AccessOf({ s3Url: s3Url && normalAddress(s3Url), s3AccessKeyId, s3SecretAccessKey });
  return access
    ? { access }
    : {
        problem: `the files of volumes need ${Object.values(S3_VARIABLES).join(', ')}, with the S3 interface of the platform`,
      };
}
