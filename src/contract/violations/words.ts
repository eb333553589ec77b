/** Creates the message of a code from its data. Messages that ignore the data are cast to this type, which declares the data. */
export type Words<Data> = (data: Data) => string;
