/** The message of a code, made from its data. A message that is the same for all data is asserted to have this type. */
export type Words<Data> = (data: Data) => string;
