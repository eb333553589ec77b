import { S3_VARIABLES } from '../../account/connections/model/hostedVariables.ts';
import { normalAddress, s3AddressProblem } from '../../account/connections/model/address.ts';
import { s3AccessOf, type S3Access } from '../../client/s3/s3Connection.ts';

/** The address and the key for files of volumes: those of the environment, or what is wrong with the variables. */
export type S3Setup = { readonly access: S3Access } | { readonly problem: string };

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
